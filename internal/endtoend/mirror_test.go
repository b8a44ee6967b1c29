package endtoend

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const mirrorFile = ".pipeline/pipeline.db"

// agentsPlace is a repository whose builder is an agent: its first reply to each
// TASK cannot be read, its second claims what is not so, its third is taken. One
// TASK fails for good.
func agentsPlace(t *testing.T) *place {
	t.Helper()
	p := newPlace(t, map[string]string{
		"pipeline.yaml": "version: 1\nattempts: 2\nstages: {builder: mine}\nexecutors:\n  mine: {command: [\"./agent.sh\"], reply: json}\n",
		"agent.sh": `#!/bin/sh
cat > prompt
n=$(cat .git-tried 2>/dev/null || echo 0); n=$((n + 1)); echo $n > .git-tried
case $n in
1) echo "I have built it." ;;
2) echo '{"status": "success", "summary": "built", "changed_files": ["never-made"]}' ;;
*) rm .git-tried prompt; echo "$PIPELINE_TASK" > "of-$PIPELINE_TASK"
   echo '{"status": "success", "summary": "built '"$PIPELINE_TASK"'", "changed_files": ["of-'"$PIPELINE_TASK"'"], "commit_message": "feat: one"}' ;;
esac
`,
		"tasks/TASK-01.md": "# TASK-01: One\n\n## Verify\n\n```sh\ntest -f of-TASK-01\n```\n",
		"tasks/TASK-02.md": "---\ndepends: [TASK-01]\n---\n# TASK-02: Two\n\n## Verify\n\n```sh\nfalse\n```\n",
		"tasks/TASK-03.md": "---\ndepends: [TASK-02]\n---\n# TASK-03: Three\n\n## Verify\n\n```sh\ntrue\n```\n",
	})
	require.NoError(t, os.Chmod(p.path("agent.sh"), 0o755))
	p.git("commit", "-qam", "Make it a program")
	return p
}

// looks are the commands that only look.
var looks = []string{
	"status", "status --json", "inspect TASK-01", "inspect TASK-02 --json", "explain TASK-03", "context TASK-02", "logs TASK-01",
	"diff TASK-01", "check", "sessions", "sessions --json", "plan", "graph", "validate", "doctor", "undo TASK-01", "config show",
}

// look is what all of them say.
func (p *place) look() map[string]result {
	p.Helper()
	said := map[string]result{}
	for _, line := range looks {
		said[line] = p.pipeline(strings.Fields(line)...)
	}
	return said
}

func TestLosingTheMirrorLosesNothing(t *testing.T) {
	t.Parallel()
	p := agentsPlace(t)
	p.must(1, "run", "-o", "quiet", "--session", "s1")
	require.FileExists(t, p.path(mirrorFile), "the run has brought it up to date")
	run := p.must(0, "query", "--dump").stdout
	with := p.look()
	require.NoError(t, os.Remove(p.path(mirrorFile)))
	require.Equal(t, with, p.look())
	require.NoFileExists(t, p.path(mirrorFile), "none of them needs it")
	require.Equal(t, run, p.must(0, "query", "--dump").stdout)
	p.must(0, "rebuild")
	require.Equal(t, run, p.must(0, "query", "--dump").stdout)
	require.Empty(t, p.git("status", "--porcelain"))

	p.must(1, "retry", "TASK-02")
	retried := p.must(0, "query", "--dump").stdout
	require.NotEqual(t, run, retried)
	p.must(0, "rebuild")
	require.Equal(t, retried, p.must(0, "query", "--dump").stdout)
}

// rows is the answer to a query, as JSON.
func (p *place) rows(statement string) string {
	p.Helper()
	return p.must(0, "query", statement, "--json").stdout
}

// TestTheMirrorSaysWhatTheViewsSay compares what is folded event by event with
// what the Plan makes of them.
func TestTheMirrorSaysWhatTheViewsSay(t *testing.T) {
	t.Parallel()
	p := agentsPlace(t)
	p.must(1, "run", "-o", "quiet")
	p.must(1, "retry", "TASK-02")
	var status struct {
		Tasks []struct{ Task, State, Commit string }
	}
	require.NoError(t, json.Unmarshal([]byte(p.must(0, "status", "--json").stdout), &status))
	var tasks []struct{ Task, State, Commit string }
	require.NoError(t, json.Unmarshal([]byte(p.rows("SELECT task, state, coalesce(commit_hash, '') AS \"commit\" FROM tasks")), &tasks))
	require.Equal(t, status.Tasks, tasks)
	type step struct {
		Stage          string
		Attempt, Round int
		Status, Reason string
		MS             int64
	}
	for _, task := range tasks[:2] {
		var inspected struct{ Steps []step }
		require.NoError(t, json.Unmarshal([]byte(p.must(0, "inspect", task.Task, "--json").stdout), &inspected))
		var stages []step
		require.NoError(t, json.Unmarshal([]byte(p.rows("SELECT stage, attempt, round, status, coalesce(reason, '') AS reason, coalesce(ms, 0) AS ms FROM stages WHERE task = '"+task.Task+"'")), &stages))
		require.NotEmpty(t, stages)
		require.Equal(t, inspected.Steps, stages)
	}
}

func TestLosingTheRecordTooLeavesWhatTheAgentsSaid(t *testing.T) {
	t.Parallel()
	p := agentsPlace(t)
	p.must(1, "run", "-o", "quiet", "--session", "s1")
	queries := []string{
		"SELECT agent, send, task, stage, attempt, round, kind, prompt, system, coding_agent, model, session_id, replied IS NULL, fault, input_tokens, usd, tools FROM sends",
		"SELECT * FROM envelopes", "SELECT * FROM gate_results", "SELECT * FROM agent_sessions",
	}
	var before []string
	for _, q := range queries {
		before = append(before, p.rows(q))
		require.NotEqual(t, "[]\n", before[len(before)-1], q)
	}
	require.NoError(t, os.Remove(p.path(".pipeline/sessions/s1/events.jsonl")))
	r := p.must(0, "rebuild")
	require.Contains(t, r.stderr, "warning: session s1: events.jsonl is gone: tasks, stages and events are lost; restored from the agents' files: 9 sends, 9 envelopes")
	for i, q := range queries {
		require.Equal(t, before[i], p.rows(q), q)
	}
	require.Equal(t, "[]\n", p.rows("SELECT * FROM tasks"))
}

// TestKilledWhileTheMirrorIsWrittenTheNextOneEndsTheSame kills an update and a
// rebuild at every point that they pass.
func TestKilledWhileTheMirrorIsWrittenTheNextOneEndsTheSame(t *testing.T) {
	t.Parallel()
	p := agentsPlace(t)
	p.must(1, "run", "-o", "quiet")
	old, err := os.ReadFile(p.path(mirrorFile))
	require.NoError(t, err)
	p.must(0, "skip", "TASK-02", "--reason", "so that there is something new")
	wanted := p.must(0, "query", "--dump").stdout
	for name, begin := range map[string]func(){
		"no mirror":          func() { require.NoError(t, os.RemoveAll(p.path(mirrorFile))) },
		"one that is behind": func() { require.NoError(t, os.WriteFile(p.path(mirrorFile), old, 0o644)) },
		"no database":        func() { require.NoError(t, os.WriteFile(p.path(mirrorFile), []byte("junk"), 0o644)) },
	} {
		for _, command := range [][]string{{"query", "SELECT 1"}, {"rebuild"}} {
			begin()
			r, points := p.listing(command...)
			require.Zero(t, r.code, r.stderr)
			require.NotEmpty(t, points)
			for i, at := range spread(stops(points, false), rounds(3, 100)) {
				begin()
				require.Equal(t, -1, p.killedAt(at)(command...).code, "%s", at)
				if i%2 == 0 {
					p.must(0, "rebuild")
				}
				require.Equal(t, wanted, p.must(0, "query", "--dump").stdout, "%s: %v killed at %s", name, command, at)
			}
		}
	}
}

func TestARunWhoseMirrorCannotBeWrittenEndsWell(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"tasks/TASK-01.md": task("TASK-01", "echo 1 > one", "test -f one")})
	p.write(map[string]string{mirrorFile + "/somebody's": "kept\n"})
	r := p.must(0, "run", "-o", "quiet")
	require.Empty(t, r.stdout)
	require.Contains(t, r.stderr, "pipeline: warning: .pipeline/pipeline.db is behind: ")
	require.Equal(t, "kept\n", p.read(mirrorFile+"/somebody's"))
	require.Equal(t, "2", p.git("rev-list", "--count", "main"))
}
