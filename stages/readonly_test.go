package stages_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/window"
)

// touched are facts of a workspace in which one more path differs each time it
// is looked at, up to a number.
type touched struct {
	stages.Facts
	head  stages.Hash
	paths [][]string // what differs, by look
	looks int
}

func (f *touched) Head(context.Context) (stages.Hash, error) { return f.head, nil }

func (f *touched) Altered(context.Context, stages.Hash) ([]string, error) {
	f.looks++
	return f.paths[f.looks-1], nil
}

// passes is an executor that always passes.
var passes = stages.Func(func(context.Context, stages.Request) (stages.Response, error) {
	return stages.Response{Usage: stages.Usage{Sends: 1}, Result: dispatch.Result{Status: dispatch.Pass, Handoff: &window.Handoff{What: "looked"}}}, nil
})

func judging(f *touched) stages.Request {
	return stages.Request{Step: stages.Step{Task: "TASK-01", Stage: dispatch.Verifier, Attempt: 1}, Base: "base", Snapshot: "tree", Facts: f, Sink: stages.Discard}
}

func TestVerifierThatChangesWhatItJudgesFailsNamingTheFiles(t *testing.T) {
	t.Parallel()
	resp, err := stages.ReadOnly(passes, false).Execute(t.Context(), judging(&touched{head: "base", paths: [][]string{{"a.go", "b.go"}}}))
	require.NoError(t, err)
	require.Equal(t, dispatch.Fail, resp.Status)
	require.Equal(t, "the verifier changed files although it may only read: a.go, b.go", resp.Summary)
	require.Equal(t, []string{"a.go", "b.go"}, resp.Failures[0].Files)
	require.Equal(t, 1, resp.Usage.Sends, "what it used up counts all the same")

	var many []string
	for i := range 12 {
		many = append(many, fmt.Sprintf("f%02d", i))
	}
	resp, err = stages.ReadOnly(passes, false).Execute(t.Context(), judging(&touched{head: "base", paths: [][]string{many}}))
	require.NoError(t, err)
	require.Contains(t, resp.Summary, "f09 and 2 more")
}

func TestVerifierThatCommitsFails(t *testing.T) {
	t.Parallel()
	resp, err := stages.ReadOnly(passes, false).Execute(t.Context(), judging(&touched{head: "other", paths: [][]string{nil}}))
	require.NoError(t, err)
	require.Equal(t, "the verifier moved HEAD to other although it may only read", resp.Summary)
}

func TestVerifierIsNotBlamedForWhatWasChangedBeforeIt(t *testing.T) {
	t.Parallel()
	f := &touched{head: "base", paths: [][]string{{"report.xml"}, {"report.xml"}}}
	resp, err := stages.ReadOnly(passes, true).Execute(t.Context(), judging(f))
	require.NoError(t, err)
	require.Equal(t, dispatch.Pass, resp.Status)
	f = &touched{head: "base", paths: [][]string{{"report.xml"}, {"mine", "report.xml"}}}
	resp, err = stages.ReadOnly(passes, true).Execute(t.Context(), judging(f))
	require.NoError(t, err)
	require.Contains(t, resp.Summary, "only read: mine")
}

func TestBuilderMayWrite(t *testing.T) {
	t.Parallel()
	f := &touched{}
	req := judging(f)
	req.Step.Stage, req.Snapshot = dispatch.Builder, ""
	resp, err := stages.ReadOnly(passes, true).Execute(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, dispatch.Pass, resp.Status)
	require.Zero(t, f.looks, "nothing is scanned for it")
}

func TestStageThatWritesInTheSessionFails(t *testing.T) {
	t.Parallel()
	req := judging(nil)
	req.Foreign = func() ([]string, error) { return []string{"agent_map.json"}, nil }
	resp, err := stages.Confined(passes).Execute(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, "changed files of the session that are not its own: agent_map.json", resp.Summary)
	require.Equal(t, dispatch.Fail, resp.Status)
	req.Foreign = func() ([]string, error) { return nil, nil }
	resp, err = stages.Confined(passes).Execute(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, dispatch.Pass, resp.Status)
}
