package cli_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/taskpipeline/pipeline/internal/cli"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"pipeline": func() {
			p := cli.OS(os.Args[1:], nil)
			ctx, stop := cli.WithSignals(context.Background(), p)
			code := cli.Main(ctx, p)
			stop()
			os.Exit(code)
		},
	})
}

// TestScripts runs what people type. Set UPDATE_SCRIPTS to rewrite the outputs
// that the scripts compare with.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, ".home")
			if err := os.Mkdir(home, 0o755); err != nil {
				return err
			}
			e.Setenv("HOME", home)
			e.Setenv("XDG_CONFIG_HOME", home)
			e.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			e.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(home, "gitconfig"))
			return os.WriteFile(filepath.Join(home, "gitconfig"), []byte(`[user]
	name = Somebody
	email = somebody@example.org
[init]
	defaultBranch = main
`), 0o644)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits,
		},
	})
}
