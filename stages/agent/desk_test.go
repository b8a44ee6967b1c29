package agent_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/internal/session"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/stages/agent"
	"github.com/taskpipeline/pipeline/stages/stagetest"
)

// desk is where a fake agent works: a session, a workspace, an executor that
// calls it, and what it is to do.
type desk struct {
	t       testing.TB
	dir     string // the fake's
	turns   int
	session *session.Session
	exec    agent.Executor
	req     stages.Request
	facts   *facts

	mu       sync.Mutex
	evidence []stages.Evidence
}

// at sets up a desk for one stage, with the CLI of that name, or with a command
// that replies in JSON if it is "".
func at(t testing.TB, cli string, stage dispatch.Stage) *desk {
	t.Helper()
	root := t.TempDir()
	bin := filepath.Join(root, "bin")
	d := &desk{t: t, dir: filepath.Join(root, "fake")}
	for _, dir := range []string{bin, d.dir, filepath.Join(root, "home")} {
		require.NoError(t, os.MkdirAll(dir, 0o755))
	}
	self, err := os.Executable()
	require.NoError(t, err)
	name := cli
	if name == "" {
		name = "helper"
	}
	require.NoError(t, os.Symlink(self, filepath.Join(bin, name)))
	d.exec = agent.Executor{
		Name: "mine", CLI: cli, Form: agent.JSON, Retries: 1,
		Env:     map[string]string{fakeVar: d.dir},
		Environ: []string{"PATH=" + bin + ":/usr/bin:/bin", "HOME=" + filepath.Join(root, "home")},
	}
	if cli == "" {
		d.exec.Command = []string{filepath.Join(bin, name)}
	}
	d.req, _ = stagetest.Request(t, stage)
	d.session, err = session.At(filepath.Join(root, "pipeline")).Create("", d.req.Now)
	require.NoError(t, err)
	d.req.Session, d.req.HandoffDir = d.session.ID, d.session.HandoffDir()
	d.facts = &facts{head: d.req.Base, workspace: d.req.Workspace}
	d.req.Facts = d.facts
	d.attempt(1)
	return d
}

// attempt begins an attempt of the stage.
func (d *desk) attempt(n int) {
	d.req.Step.Attempt, d.req.Dispatch.Attempt = n, n
	d.req.AgentDir = d.session.AgentDir(d.req.Step.Agent())
	d.req.Sink = (&session.Sinks{Session: d.session, Evidence: func(_ stages.Step, e stages.Evidence) error {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.evidence = append(d.evidence, e)
		return nil
	}}).Sink(d.req.Step)
}

// will adds what the agent does when it is called next.
func (d *desk) will(turns ...turn) *desk {
	for _, t := range turns {
		d.turns++
		b, err := json.Marshal(t)
		require.NoError(d.t, err)
		require.NoError(d.t, os.WriteFile(fake{dir: d.dir}.file("turn", d.turns), b, 0o644))
	}
	return d
}

// says adds replies.
func (d *desk) says(replies ...string) *desk {
	for _, r := range replies {
		d.will(turn{Say: r})
	}
	return d
}

// does performs the stage, which must come to an answer.
func (d *desk) does() stages.Response {
	d.t.Helper()
	resp, err := d.exec.Execute(d.t.(*testing.T).Context(), d.req)
	require.NoError(d.t, err)
	return resp
}

func (d *desk) calls() []called { return calls(d.t, d.dir) }

// kept is a file of the agent's folder.
func (d *desk) kept(name string) string { return text(filepath.Join(d.req.AgentDir, name)) }

// told is the evidence of one kind.
func (d *desk) told(kind string) []stages.Evidence {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(d.evidence), func(e stages.Evidence) bool { return e.Type != kind })
}

// facts are those of a workspace in which the paths of the map differ.
type facts struct {
	head      stages.Hash
	workspace string
	asked     [][]string
}

func (f *facts) Head(context.Context) (stages.Hash, error) { return f.head, nil }

func (f *facts) Differ(_ context.Context, _ stages.Hash, paths []string) ([]string, error) {
	f.asked = append(f.asked, paths)
	var out []string
	for _, p := range paths {
		if _, err := os.Lstat(filepath.Join(f.workspace, p)); err == nil {
			out = append(out, p)
		}
	}
	return out, nil
}

func (f *facts) Altered(context.Context, stages.Hash) ([]string, error) { return nil, nil }

func (f *facts) Diff(context.Context, stages.Hash, stages.Hash, int) (stages.Diff, error) {
	return stages.Diff{Files: []string{"a.go"}, Insertions: 2, Stat: " a.go | 2 ++", Patch: []byte("+the patch\n")}, nil
}

// built is a valid BuildOutput with that summary, and more fields.
func built(summary string, more ...string) string {
	fields := map[string]any{"status": "success", "summary": summary}
	for i := 0; i+1 < len(more); i += 2 {
		fields[more[i]] = json.RawMessage(more[i+1])
	}
	return string(must(json.Marshal(fields)))
}

const approved = `{"status":"success","summary":"all is met","approved":true}`

// verdict fails the test unless the response is as said.
func (d *desk) verdict(resp stages.Response, want dispatch.Status, reason string) {
	d.t.Helper()
	require.Nil(d.t, resp.Wait)
	require.Equal(d.t, want, resp.Status, "%s", resp.Summary)
	require.Contains(d.t, resp.Summary, reason)
}
