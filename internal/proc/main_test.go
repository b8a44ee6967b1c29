package proc

import (
	"context"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// parentEnv makes the test binary run the script in it as a stage and wait:
// a second pipeline, which a test can kill.
const parentEnv = "PROC_TEST_PARENT"

func TestMain(m *testing.M) {
	if script := os.Getenv(parentEnv); script != "" {
		_, err := Run(context.Background(), Command{Argv: []string{"sh", "-c", script}, Env: os.Environ()})
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}
