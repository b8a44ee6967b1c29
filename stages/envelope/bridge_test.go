package envelope_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages/envelope"
	"github.com/taskpipeline/pipeline/window"
)

func says(status envelope.Status, summary string) envelope.Base {
	return envelope.Base{Status: status, Summary: summary, NotesForNextAgent: "mind the gap"}
}

func TestStatusIsTheVerdict(t *testing.T) {
	t.Parallel()
	pass := envelope.Result(envelope.GenericOutput{Base: says(envelope.Success, "all done")})
	require.Equal(t, dispatch.Result{
		Status: dispatch.Pass, Summary: "all done", Handoff: &window.Handoff{What: "all done", Caution: "mind the gap"},
	}, pass)
	fail := envelope.Result(envelope.BuildOutput{Base: says(envelope.Failure, "no compiler")})
	require.Equal(t, dispatch.Fail, fail.Status)
	require.Equal(t, "no compiler", fail.Summary)
	require.Equal(t, []dispatch.Failure{{Check: "agent", Error: "no compiler"}}, fail.Failures)
}

func TestVerdictAlwaysSaysSomething(t *testing.T) {
	t.Parallel()
	for _, summary := range []string{"", " \n\t"} {
		require.Equal(t, "done; nothing more was said", envelope.Result(envelope.PlanOutput{Base: says(envelope.Success, summary)}).Handoff.What)
		fail := envelope.Result(envelope.PlanOutput{Base: says(envelope.Failure, summary)})
		require.Equal(t, "the agent reported that it failed, and not why", fail.Summary)
		require.Equal(t, fail.Summary, fail.Failures[0].Error)
		require.Equal(t, fail.Summary, fail.Handoff.What)
		not := envelope.Result(envelope.ReviewOutput{Base: says(envelope.Success, summary)})
		require.Equal(t, "not approved", not.Summary)
		require.NotEmpty(t, not.Handoff.What)
	}
}

func TestCommitMessageIsTakenFromABuilderAlone(t *testing.T) {
	t.Parallel()
	b := says(envelope.Success, "s")
	require.Equal(t, &dispatch.Commit{Message: "feat: a\n\nbody"}, envelope.Result(envelope.BuildOutput{Base: b, CommitMessage: " feat: a\n\nbody\n"}).Commit)
	require.Nil(t, envelope.Result(envelope.PlanOutput{Base: b, CommitMessage: "plan: a"}).Commit)
	require.Nil(t, envelope.Result(envelope.DocumentOutput{Base: b, CommitMessage: "docs: a"}).Commit)
}

func TestBlankCommitMessageCountsAsEmpty(t *testing.T) {
	t.Parallel()
	for _, message := range []string{"", " ", "\n\t "} {
		require.Nil(t, envelope.Result(envelope.BuildOutput{Base: says(envelope.Success, "s"), CommitMessage: message}).Commit)
	}
}

func TestChangedFilesAreClaimsOfTheResult(t *testing.T) {
	t.Parallel()
	r := envelope.Result(envelope.BuildOutput{Base: says(envelope.Success, "s"), ChangedFiles: []string{"b.go", "a.go"}})
	require.Equal(t, []dispatch.FileChange{{Path: "b.go"}, {Path: "a.go"}}, r.FilesChanged)
}

func TestApprovedIsTheVerdictAndStatusOnlyWhetherTheReviewRan(t *testing.T) {
	t.Parallel()
	r := envelope.Result(envelope.ReviewOutput{
		Base: says(envelope.Success, "two things"), Blocking: []string{"no test"},
		Findings: []envelope.ReviewFinding{{"login", true, "seen"}, {"logout", false, "404"}, {"lock", false, ""}},
	})
	require.Equal(t, dispatch.Fail, r.Status)
	require.Equal(t, "two things", r.Summary)
	require.Equal(t, []dispatch.Failure{{Check: "review", Error: "no test"}, {Check: "logout", Error: "404"}, {Check: "lock", Error: "not met"}}, r.Failures)
	require.Equal(t, []dispatch.Check{
		{Name: "login", Status: "PASS", Text: "seen"}, {Name: "logout", Status: "FAIL", Text: "404"}, {Name: "lock", Status: "FAIL"},
	}, r.Verification)

	require.Equal(t, dispatch.Pass, envelope.Result(envelope.ReviewOutput{Base: says(envelope.Success, "s"), Approved: true}).Status)
	require.Equal(t, dispatch.Fail, envelope.Result(envelope.ReviewOutput{Base: says(envelope.Failure, "s"), Approved: true}).Status, "a review that was not made approves of nothing")
	require.Equal(t, []dispatch.Failure{{Check: "agent", Error: "no time"}},
		envelope.Result(envelope.ReviewOutput{Base: says(envelope.Failure, "no time"), Blocking: []string{"x"}}).Failures, "a review that was not made has no reasons")
	require.Equal(t, []dispatch.Failure{{Check: "review", Error: "not good"}}, envelope.Result(envelope.ReviewOutput{Base: says(envelope.Success, "not good")}).Failures)
}

func TestResultInXMLIsRenderedAsGenericOutput(t *testing.T) {
	t.Parallel()
	out := envelope.FromResult(dispatch.Result{Status: dispatch.Pass, Handoff: &window.Handoff{What: "built", Caution: "slow"}})
	require.Equal(t, envelope.GenericOutput{Base: envelope.Base{Status: envelope.Success, Summary: "built", NotesForNextAgent: "slow"}}, out)

	out = envelope.FromResult(dispatch.Result{
		Status: dispatch.Fail, Summary: "broken", Failures: []dispatch.Failure{{Check: "build", Error: "does not", Fix: "import it"}, {Check: "vet", Error: "unused"}},
		Handoff: &window.Handoff{What: "half", Caution: "slow"},
	})
	require.Equal(t, envelope.Failure, out.Status)
	require.Equal(t, "broken", out.Summary)
	require.Equal(t, "build: does not (import it)\nvet: unused\n\nslow", out.NotesForNextAgent)
	require.Equal(t, envelope.Failure, envelope.FromResult(dispatch.Result{}).Status, "no verdict is no success")
}

func TestCommandsPassIfAllEndWithZero(t *testing.T) {
	t.Parallel()
	out := envelope.FromCommands([]envelope.CommandResult{{Name: "lint"}, {Name: "test", Output: "ok\n"}})
	require.True(t, out.Passed)
	require.Equal(t, envelope.Success, out.Status)
	require.Equal(t, "2 of 2 checks passed", out.Summary)
	require.Equal(t, dispatch.Pass, envelope.Result(out).Status)

	out = envelope.FromCommands([]envelope.CommandResult{{Name: "lint"}, {Name: "test", Exit: 1, Output: "--- FAIL: TestX\n"}, {Name: "slow", Exit: 124}})
	require.False(t, out.Passed)
	require.Equal(t, envelope.Success, out.Status, "the checks were made")
	require.Equal(t, []string{"test: exit status 1\n--- FAIL: TestX", "slow: its time was up"}, out.Failures)
	r := envelope.Result(out)
	require.Equal(t, dispatch.Fail, r.Status)
	require.Equal(t, "1 of 3 checks passed", r.Summary)
	require.Equal(t, []string{"test", "slow"}, []string{r.Failures[0].Check, r.Failures[1].Check})
}

func TestDiffIsShapedAsAnEnvelope(t *testing.T) {
	t.Parallel()
	out := envelope.FromDiff(envelope.Diff{Base: "abc", Files: []string{"a"}, Insertions: 2, Deletions: 1, Stat: " a | 3", Path: "/h/diff.patch"})
	e, err := envelope.Parse(envelope.Changes, envelope.Marshal(out))
	require.NoError(t, err)
	require.Equal(t, "abc", e.(envelope.ChangesOutput).Against)
	require.Equal(t, "files changed: 1; lines added: 2, removed: 1", e.Common().Summary)
	require.Equal(t, dispatch.Pass, envelope.Result(out).Status)
}
