package command_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages/command"
	"github.com/taskpipeline/pipeline/stages/stagetest"
	"github.com/taskpipeline/pipeline/window"
)

// actVar makes the test binary play a stage: the program under test.
const actVar = "COMMAND_TEST_ACT"

func TestMain(m *testing.M) {
	if act := os.Getenv(actVar); act != "" {
		os.Exit(play(act))
	}
	goleak.VerifyTestMain(m)
}

// actor is an executor that runs this test binary as a stage.
func actor(t *testing.T, act string) command.Executor {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return command.Executor{Name: "actor", Argv: []string{self}, Env: map[string]string{actVar: act}}
}

// play does what a stage of that behaviour does, and returns its exit status.
func play(act string) int {
	text := os.Getenv(stagetest.TextVar)
	switch stagetest.Behaviour(act) {
	case stagetest.Noisy:
		must(os.Stdout.Write(stagetest.Noise()))
		must(os.Stderr.Write(stagetest.Noise()))
		return pass(text)
	case stagetest.Passes:
		return pass(text)
	case stagetest.Fails:
		reply(dispatch.Result{Status: dispatch.Fail, Summary: text})
	case stagetest.Hangs:
		must(os.OpenFile(os.Getenv(stagetest.AliveVar), os.O_WRONLY, 0))
		select {}
	case stagetest.Crashes:
		pass(text)
		return 3
	case stagetest.Impostor:
		reply(dispatch.Result{Task: "TASK-99", Status: dispatch.Pass, Handoff: &window.Handoff{What: text}})
	case "echo": // answers with what it was sent
		message := must(io.ReadAll(os.Stdin))
		reply(dispatch.Result{Status: dispatch.Pass, Notes: string(message), Handoff: &window.Handoff{What: "echoed"}})
	case "environment":
		reply(dispatch.Result{Status: dispatch.Pass, Notes: strings.Join(os.Environ(), "\n"), Handoff: &window.Handoff{What: "looked"}})
	case "flood": // 1 GiB, and a verdict at its end
		line := bytes.Repeat([]byte("0123456789abcdef"), 4096)
		for range 1 << 30 / len(line) {
			must(os.Stdout.Write(line))
		}
		reply(dispatch.Result{Status: dispatch.Pass, Handoff: &window.Handoff{What: "said a lot"}})
	}
	return 0
}

func pass(text string) int {
	if err := os.WriteFile(stagetest.MadeFile, []byte(text), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	reply(dispatch.Result{Status: dispatch.Pass, Summary: text, Handoff: &window.Handoff{What: "made a file"}})
	return 0
}

func reply(r dispatch.Result) {
	if err := r.Encode(os.Stdout); err != nil {
		panic(err)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
