package script_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/stages/script"
	"github.com/taskpipeline/pipeline/stages/stagetest"
	"github.com/taskpipeline/pipeline/tasks"
)

// noiseVar makes the test binary print the suite's noise.
const noiseVar = "SCRIPT_TEST_NOISE"

func TestMain(m *testing.M) {
	if os.Getenv(noiseVar) != "" {
		_, _ = os.Stdout.Write(stagetest.Noise())
		return
	}
	goleak.VerifyTestMain(m)
}

// fences are scripts as they stand in a TASK file, one every ten lines.
func fences(texts ...string) []tasks.Script {
	var all []tasks.Script
	for i, text := range texts {
		all = append(all, tasks.Script{Line: 10 * (i + 1), Lang: "bash", Text: text + "\n"})
	}
	return all
}

// behave is the fence that shows a behaviour; "" if no fence can.
func behave(t *testing.T, b stagetest.Behaviour, req *stages.Request) string {
	t.Helper()
	const pass = `echo "$STAGETEST_TEXT" | tee made.txt`
	switch b {
	case stagetest.Passes:
		return pass
	case stagetest.Noisy:
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		req.Env = append(req.Env, "SELF="+self)
		return noiseVar + `=1 "$SELF"` + "\n" + pass
	case stagetest.Fails:
		return `echo "$STAGETEST_TEXT"; false`
	case stagetest.Hangs:
		return `exec 3>"$STAGETEST_ALIVE"; sleep 600 & sleep 600`
	case stagetest.Crashes:
		return `kill -KILL $$`
	}
	return ""
}

func TestBuildConforms(t *testing.T) {
	t.Parallel()
	stagetest.Run(t, dispatch.Builder, func(t *testing.T, b stagetest.Behaviour, req *stages.Request) stages.Executor {
		if req.Spec.Build = fences(behave(t, b, req)); req.Spec.Build[0].Text == "\n" {
			return nil
		}
		return script.Build{}
	})
}

func TestChecksConform(t *testing.T) {
	t.Parallel()
	stagetest.Run(t, dispatch.Verifier, func(t *testing.T, b stagetest.Behaviour, req *stages.Request) stages.Executor {
		if req.Spec.Verify = fences(behave(t, b, req)); req.Spec.Verify[0].Text == "\n" {
			return nil
		}
		return script.Checks{}
	})
}
