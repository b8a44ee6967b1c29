package pipeline

import (
	"context"

	"github.com/taskpipeline/pipeline/internal/cli"
	"github.com/taskpipeline/pipeline/stages"
)

// Executors are executors written in Go, by the names under which a config's
// `stages:` or a TASK's front matter asks for them.
type Executors = map[string]stages.Executor

// Main is the whole command line: it runs args, which do not hold the program's
// name, and returns the exit code. The executors given are known beside those
// of the config; nil is fine.
func Main(args []string, executors Executors) int {
	p := cli.OS(args, executors)
	ctx, stop := cli.WithSignals(context.Background(), p)
	defer stop()
	return cli.Main(ctx, p)
}
