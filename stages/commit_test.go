package stages_test

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/progress"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
	"github.com/taskpipeline/pipeline/window"
)

// objects is a small object store: blobs by hash, and the candidates it was given.
type objects struct {
	blobs      map[stages.Hash]string
	files      map[string]string // by path, in every tree
	candidates []stages.Candidate
	err        error
}

func (o *objects) Blob(h stages.Hash, limit int64) ([]byte, error) {
	b, ok := o.blobs[h]
	if !ok {
		return nil, errors.New("no such blob")
	}
	return []byte(b[:min(int64(len(b)), limit)]), nil
}

func (o *objects) File(_ stages.Hash, path string) ([]byte, error) {
	return []byte(o.files[path]), nil
}

func (o *objects) Candidate(_ context.Context, c stages.Candidate) (stages.Hash, error) {
	if o.err != nil {
		return "", o.err
	}
	o.candidates = append(o.candidates, c)
	sum := sha1.Sum(fmt.Appendf(nil, "%v", c))
	return stages.Hash(hex.EncodeToString(sum[:])), nil
}

const spec = `# TASK-03: Log in with a password

## Acceptance Criteria
- [ ] wrong password answers 401
- [ ] a session starts

## Build
` + "```bash\ntrue\n```\n"

// input is a TASK that passed, with the given progress.md; its objects are
// returned beside it.
func input(progressMD string) (stages.CommitInput, *objects) {
	store := &objects{blobs: map[stages.Hash]string{"abcdef0123": progressMD}}
	return stages.CommitInput{
		Step:    stages.Step{Task: "TASK-03", Stage: dispatch.Committer, Attempt: 2},
		Task:    tasks.Task{ID: "TASK-03", Title: "Log in with a password", Spec: spec, SpecHash: "sha256:00ff"},
		Work:    "WORK-01",
		Title:   "User authentication",
		Session: "01JD",
		Base:    "base", ProgressPath: "tasks/TASK-03_progress.md", ResultPath: "tasks/TASK-03_result.md",
		Snapshot: stages.Snapshot{
			Tree:     "tree",
			Progress: "abcdef0123",
			Changes: []stages.Change{
				{Path: "auth/login.go", Action: progress.Create},
				{Path: "auth/login_test.go", Action: progress.Modify},
			},
		},
		Builder: dispatch.Result{
			Status: dispatch.Pass, Summary: "Passwords work",
			Handoff: &window.Handoff{What: "Log in handler", Why: "The plan asks", Caution: "No rate limit\nyet", Incomplete: "None"},
		},
		Verifier: dispatch.Result{
			Status:       dispatch.Pass,
			Verification: []dispatch.Check{{Name: "tests", Status: "PASS", Count: "12", Text: "all\ngreen"}},
			Handoff:      &window.Handoff{What: "Ran the tests", Why: "All green", Caution: "Look at the page"},
		},
		At:      time.Date(2026, 3, 12, 11, 53, 7, 0, time.FixedZone("", 3600)),
		Objects: store,
	}, store
}

const completed = "# TASK-03 Progress\n\n- Status: COMPLETED\n- Files changed:\n  - `auth/login.go` — CREATE\n  - `auth/login_test.go` — MODIFY\n"

func refused(t *testing.T, in stages.CommitInput, reason string) (stages.Committed, dispatch.Result) {
	t.Helper()
	made, result, err := stages.Commit(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, dispatch.Fail, result.Status)
	require.Equal(t, reason, result.Summary)
	require.Equal(t, dispatch.Committer, result.Agent)
	require.Len(t, result.Failures, 1)
	require.Equal(t, reason, result.Failures[0].Error)
	require.NotEmpty(t, result.Failures[0].Fix)
	require.Empty(t, made.Commit)
	require.Empty(t, in.Objects.(*objects).candidates, "a refused TASK leaves no commit")
	return made, result
}

func TestMissingProgressFileFailsTheGate(t *testing.T) {
	t.Parallel()
	in, _ := input("")
	in.Snapshot.Progress = ""
	refused(t, in, "progress.md not found")
}

func TestStatusOtherThanCompletedFailsTheGate(t *testing.T) {
	t.Parallel()
	in, _ := input(strings.Replace(completed, "COMPLETED", "IN_PROGRESS", 1))
	refused(t, in, "status not COMPLETED")
}

func TestEmptyFilesChangedFailsTheGate(t *testing.T) {
	t.Parallel()
	in, _ := input("- Status: COMPLETED\n- Files changed:\n")
	refused(t, in, "no files changed")
}

func TestListingOnlyProgressFileIsNoFilesChanged(t *testing.T) {
	t.Parallel()
	in, _ := input("- Status: COMPLETED\n- Files changed:\n  - `tasks/TASK-03_progress.md` — CREATE\n")
	refused(t, in, "no files changed")
}

func TestRefusalHandsBackTheExistingProgressFile(t *testing.T) {
	t.Parallel()
	text := "- Status: STARTED\n"
	in, _ := input(text)
	made, result := refused(t, in, "status not COMPLETED")
	require.Equal(t, text, made.Progress)
	require.Equal(t, []string{"tasks/TASK-03_progress.md"}, result.Failures[0].Files)
}

func TestListedPathOutsideTheWorkspaceFailsTheGate(t *testing.T) {
	t.Parallel()
	in, _ := input(completed + "  - `../other/a.go` — CREATE\n")
	refused(t, in, "path outside the workspace: ../other/a.go")
}

func TestUnlistedChangeIsCommittedAndNoted(t *testing.T) {
	t.Parallel()
	in, store := input(strings.Replace(completed, "  - `auth/login_test.go` — MODIFY\n", "", 1))
	made, result, err := stages.Commit(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, dispatch.Pass, result.Status)
	require.Equal(t, []string{"changed but not listed in progress.md: auth/login_test.go"}, result.Warnings)
	require.Contains(t, string(made.ResultMD), "- changed but not listed in progress.md: auth/login_test.go\n")
	require.Len(t, store.candidates, 1)
}

func TestUnlistedChangeFailsTheGateWhereAsked(t *testing.T) {
	t.Parallel()
	in, _ := input(strings.Replace(completed, "  - `auth/login_test.go` — MODIFY\n", "", 1))
	in.Undeclared = stages.FailOnThem
	refused(t, in, "changed but not listed: auth/login_test.go")
}

func TestPassedGateWritesResultFileAndCandidate(t *testing.T) {
	t.Parallel()
	in, store := input(completed)
	made, result, err := stages.Commit(t.Context(), in)
	require.NoError(t, err)

	require.Equal(t, []stages.Candidate{{
		Task: "TASK-03", Parent: "base", Tree: "tree", Time: in.At,
		Files: map[string][]byte{"tasks/TASK-03_result.md": made.ResultMD},
		Message: `feat(TASK-03): Log in with a password

- create auth/login.go
- modify auth/login_test.go

Result: tasks/TASK-03_result.md

Pipeline-Task: TASK-03
Pipeline-Session: 01JD
Pipeline-Attempt: 2
Pipeline-Spec: sha256:00ff
`,
	}}, store.candidates)
	require.Equal(t, dispatch.Pass, result.Status)
	require.Equal(t, &dispatch.Commit{Hash: string(made.Commit), Message: store.candidates[0].Message, Type: "feat"}, result.Commit)
	require.Equal(t, window.Handoff{What: "Log in handler", Why: "The plan asks", Caution: "No rate limit\nyet\n[verifier] Look at the page"}, made.Handoff)
	require.Equal(t, wantResult, string(made.ResultMD))
}

const wantResult = `# TASK-03 Result

> WORK: WORK-01 — User authentication
> Completed: 2026-03-12 10:53
> Status: **DONE**
> Spec: sha256:00ff

## Summary

Passwords work

## Completed Checklist

- [x] wrong password answers 401
- [x] a session starts

## Verification Results

- tests: PASS (12) — all green

## Files Changed

### Created

- ` + "`auth/login.go`" + `

### Modified

- ` + "`auth/login_test.go`" + `

### Deleted

None

## Issues Encountered

None

## Notes for Subsequent Tasks

None

## Context Handoff

### Builder Context (FULL)

- **what**: Log in handler
- **why**: The plan asks
- **caution**: No rate limit
  yet
- **incomplete**: None

### Verifier Context (FULL)

- **what**: Ran the tests
- **why**: All green
- **caution**: Look at the page
- **incomplete**: None
`

func TestAnyLaterWindowCanBeRebuiltFromTheResultFile(t *testing.T) {
	t.Parallel()
	in, _ := input(completed)
	made, _, err := stages.Commit(t.Context(), in)
	require.NoError(t, err)
	read := progress.ParseResult(made.ResultMD)
	require.True(t, read.Done)
	require.Equal(t, in.Task.SpecHash, read.Spec)
	require.Equal(t, made.Handoff, window.Merge(read.Builder, read.Verifier))
}

func TestTheSameInputMakesTheSameCommit(t *testing.T) {
	t.Parallel()
	in, _ := input(completed)
	first, _, err := stages.Commit(t.Context(), in)
	require.NoError(t, err)
	second, _, err := stages.Commit(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, first, second)
}

func TestUncommittedTasksFolderGetsItsResultFileAtLanding(t *testing.T) {
	t.Parallel()
	in, store := input(completed)
	in.ProgressPath, in.ResultPath = "", ""
	made, _, err := stages.Commit(t.Context(), in)
	require.NoError(t, err)
	require.Empty(t, store.candidates[0].Files)
	require.Equal(t, map[string][]byte{"TASK-03_result.md": made.ResultMD}, store.candidates[0].Outside)
	require.NotContains(t, store.candidates[0].Message, "Result:")
}

func message(t *testing.T, in stages.CommitInput) string {
	t.Helper()
	_, result, err := stages.Commit(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, dispatch.Pass, result.Status)
	return result.Commit.Message
}

func TestBuildersMessageReplacesOursAndTheTrailersStay(t *testing.T) {
	t.Parallel()
	in, _ := input(completed)
	in.Builder.Commit = &dispatch.Commit{Message: "auth: log in\nA handler.\n\nSigned-off-by: A <a@b.c>"}
	require.Equal(t, `auth: log in

A handler.

Signed-off-by: A <a@b.c>

Pipeline-Task: TASK-03
Pipeline-Session: 01JD
Pipeline-Attempt: 2
Pipeline-Spec: sha256:00ff
`, message(t, in))
}

func TestBuildersMessageCannotForgeTrailers(t *testing.T) {
	t.Parallel()
	in, _ := input(completed)
	in.Builder.Commit = &dispatch.Commit{Message: "pipeline-task: TASK-09\r\nsubject\n\n  Pipeline-Session : evil\nPIPELINE-Spec: x\nbody"}
	m := message(t, in)
	require.True(t, strings.HasPrefix(m, "subject\n\nbody\n\nPipeline-Task: TASK-03\n"), "%s", m)
	require.Equal(t, 4, strings.Count(strings.ToLower(m), "pipeline-"))
}

func TestMessageOfOnlyForgedTrailersIsReplacedByOurs(t *testing.T) {
	t.Parallel()
	in, _ := input(completed)
	in.Builder.Commit = &dispatch.Commit{Message: "Pipeline-Task: TASK-09\n"}
	require.True(t, strings.HasPrefix(message(t, in), "feat(TASK-03): Log in with a password\n"))
}

func TestBodyListsTwentyPathsAndCountsTheRest(t *testing.T) {
	t.Parallel()
	in, _ := input(completed)
	for i := range 23 {
		in.Snapshot.Changes = append(in.Snapshot.Changes, stages.Change{Path: path.Join("z", fmt.Sprint(i)), Action: progress.Delete})
	}
	m := message(t, in)
	require.Equal(t, 20, strings.Count(m, "\n- create ")+strings.Count(m, "\n- modify ")+strings.Count(m, "\n- delete "))
	require.Contains(t, m, "\n- and 5 more\n")
}

func TestTypeComesFromFrontMatterThenBuilderThenTitle(t *testing.T) {
	t.Parallel()
	in, _ := input(completed)
	subject := func() string { s, _, _ := strings.Cut(message(t, in), "("); return s }
	in.Task.Title = "Fix the login"
	require.Equal(t, "fix", subject())
	in.Builder.Commit = &dispatch.Commit{Type: "Docs"}
	require.Equal(t, "docs", subject())
	in.Builder.Commit.Type = "nonsense"
	require.Equal(t, "fix", subject())
	in.Task.CommitType = "chore"
	require.Equal(t, "chore", subject())
}

func TestUnreadableRepositoryIsAnErrorNamingTheStep(t *testing.T) {
	t.Parallel()
	in, _ := input(completed)
	in.Snapshot.Progress = "ffffffffff"
	_, _, err := stages.Commit(t.Context(), in)
	require.EqualError(t, err, "TASK-03/committer#2: read progress.md (fffffff): no such blob")

	in, store := input(completed)
	store.err = errors.New("disk full")
	_, _, err = stages.Commit(t.Context(), in)
	require.EqualError(t, err, "TASK-03/committer#2: disk full")
}

func TestCommittersResultParsesBack(t *testing.T) {
	t.Parallel()
	in, _ := input(completed)
	_, result, err := stages.Commit(t.Context(), in)
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, result.Encode(&b))
	read, err := dispatch.ParseResult([]byte(b.String()), dispatch.Expect{Work: "WORK-01", Task: "TASK-03", Agent: dispatch.Committer})
	require.NoError(t, err)
	require.Equal(t, result.Commit.Hash, read.Commit.Hash)
	require.Equal(t, window.Clean(result.Commit.Message), read.Commit.Message)
}

func TestManyUnlistedChangesAreCounted(t *testing.T) {
	t.Parallel()
	in, _ := input(completed)
	for i := range 25 {
		in.Snapshot.Changes = append(in.Snapshot.Changes, stages.Change{Path: fmt.Sprint("z", i), Action: progress.Create})
	}
	_, result, err := stages.Commit(t.Context(), in)
	require.NoError(t, err)
	require.Len(t, result.Warnings, 21)
	require.Equal(t, "changed but not listed in progress.md: 5 more", result.Warnings[20])
}

func TestRecordOfAnotherTaskFailsTheGate(t *testing.T) {
	t.Parallel()
	for _, forged := range []string{"tasks/TASK-04_result.md", "tasks/TASK-04_progress.md", "tasks/WORK-01-TASK-04-result.md"} {
		in, store := input(completed)
		in.Snapshot.Changes = append(in.Snapshot.Changes, stages.Change{Path: forged, Action: "CREATE"})
		_, result, err := stages.Commit(t.Context(), in)
		require.NoError(t, err)
		require.Equal(t, "record of a TASK changed: "+forged, result.Summary)
		require.Empty(t, store.candidates, "nothing is written")
	}
}
