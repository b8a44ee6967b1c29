package mirror

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// times are what events and raw output date differently.
var times = regexp.MustCompile(`'2026-03-12T10:35:\d\d\.\d{3}Z'`)

// agents are the tables that agents' own files can give back.
func (p *mirrored) agents() string {
	p.Helper()
	return times.ReplaceAllString(p.tables("sends", "envelopes", "gate_results", "agent_sessions"), "TIME")
}

func TestALostRecordIsRestoredFromTheAgentsFiles(t *testing.T) {
	t.Parallel()
	p := newMirrored(t)
	s := p.example("s1")
	p.update()
	before := p.agents()
	require.NoError(t, os.Remove(s.EventsFile()))
	r := p.rebuild()
	require.Equal(t, before, p.agents())
	require.Empty(t, p.tables("tasks", "stages", "events"))
	require.Equal(t, []Problem{{"s1", "events.jsonl is gone: tasks, stages and events are lost; restored from the agents' files: 6 sends, 6 envelopes"}}, r.Problems)
	require.Equal(t, []string{`"broken" "` + r.Problems[0].Text + `"`}, p.ask("SELECT state, problem FROM sessions"))

	rebuilt := p.dump()
	p.update()
	require.Equal(t, rebuilt, p.dump())
}

func TestALostRecordIsNoticedByAnUpdate(t *testing.T) {
	t.Parallel()
	p := newMirrored(t)
	s := p.example("s1")
	p.update()
	require.NoError(t, os.Remove(s.EventsFile()))
	require.Len(t, p.update().Problems, 1)
	updated := p.dump()
	p.rebuild()
	require.Equal(t, p.dump(), updated)
}

func TestARecordThatDoesNotHoldIsFoldedUpToThere(t *testing.T) {
	t.Parallel()
	p := newMirrored(t)
	s := p.example("s1")
	p.update()
	before := p.agents()
	lines := strings.SplitAfter(p.read(s, "events.jsonl"), "\n")
	lines[12] = "{not an event}\n"
	p.file(s, "events.jsonl", strings.Join(lines, ""))
	r := p.rebuild()
	require.Equal(t, before, p.agents(), "what is behind the bad line comes from the agents' files")
	require.Len(t, r.Problems, 1)
	require.Regexp(t, `^events\.jsonl:13: not an event: .*: tasks, stages and events from there on are lost; restored from the agents' files: 3 sends, 3 envelopes$`, r.Problems[0].Text)
	require.Equal(t, []string{"12"}, p.ask("SELECT count(*) FROM events"))
	require.Equal(t, []string{`"TASK-01" "running"`, `"TASK-02" "not started"`}, p.ask("SELECT task, state FROM tasks"))

	rebuilt := p.dump()
	p.update()
	require.Equal(t, rebuilt, p.dump())
	lines[12] = "\n"
	p.file(s, "events.jsonl", strings.Join(lines[:12], ""))
	p.update()
	require.Equal(t, []string{`"open" null`}, p.ask("SELECT state, problem FROM sessions"), "a record that was mended counts again")
}

func TestWhatIsLeftOfAnAgentIsToldAndWhatIsMissing(t *testing.T) {
	t.Parallel()
	p := newMirrored(t)
	s := p.example("s1")
	for _, lost := range []string{"events.jsonl", "TASK-01-builder/raw_output.jsonl", "agent_map.json"} {
		require.NoError(t, os.Remove(filepath.Join(s.Dir, lost)))
	}
	p.file(s, "agent_map.json", `{"TASK-01-builder": 7}`)
	r := p.rebuild()
	require.Len(t, r.Problems, 1)
	require.Contains(t, r.Problems[0].Text, "restored from the agents' files: 6 sends, 1 envelope; what came of 6 sends is lost: raw_output.jsonl does not tell; agent_map.json: ")
	require.Equal(t, []string{`"TASK-01" "builder" "prompts/0001-user.md" null`}, p.ask("SELECT task, stage, prompt, replied FROM sends WHERE send = 1"))
	require.Equal(t, []string{`0 1 "{\"status\":\"success\",\"summary\":\"done\"}"`}, p.ask("SELECT send, valid, envelope FROM envelopes"))
	require.Empty(t, p.ask("SELECT * FROM agent_sessions"))
}

func TestARecordThatWasReplacedIsFoldedAnew(t *testing.T) {
	t.Parallel()
	p := newMirrored(t)
	s := p.example("s1")
	p.update()
	require.NoError(t, os.RemoveAll(s.Dir))
	s = p.session("s1")
	p.record(s, begun("TASK-09"))
	for range 60 { // longer than the one before
		p.record(s, starts("TASK-09", "builder", 1))
	}
	p.update()
	require.Equal(t, []string{`"TASK-09"`}, p.ask("SELECT task FROM tasks"))
	updated := p.dump()
	p.rebuild()
	require.Equal(t, p.dump(), updated)
}

func TestASessionThatIsGoneLeavesTheMirror(t *testing.T) {
	t.Parallel()
	p := newMirrored(t)
	s := p.example("s1")
	p.example("s2")
	p.update()
	require.NoError(t, os.RemoveAll(s.Dir))
	p.update()
	require.NotContains(t, p.dump(), "'s1'")
	require.Contains(t, p.dump(), "'s2'")
}

// TestRawOutputIsReadWhateverItHolds has lines of an agent before, between and
// inside of ours, cut and doubled.
func TestRawOutputIsReadWhateverItHolds(t *testing.T) {
	t.Parallel()
	p := newMirrored(t)
	s := p.session("s1")
	long := `{"type":"text","text":"` + strings.Repeat("x", 1<<20) + `"}` + "\n"
	p.file(s, "TASK-01-builder/raw_output.jsonl", long+
		`{"type":"pipeline_send","task":"TASK-01","stage":"builder","attempt":1,"round":1,"send":1,"kind":7,"prompt":"prompts/0001-user.md","time":"never"}`+"\n"+
		`{"type":"pipeline_send","send":`+"\n"+long+"\x00\xff\n"+
		`{"type":"pipeline_other","send":9}`+"\n"+
		`{"type":"pipeline_reply","send":1,"output":"BuildOutput","valid":true,"envelope":{"a":1},"gates":"none"}`+"\n"+
		`{"type":"pipeline_reply","send":1,"output":"BuildOutput","valid":false}`+"\n"+
		`{"type":"pipeline_reply","send":2,"valid":false,"fault":"rate limited"}`)
	p.file(s, "TASK-01-builder/envelope.json", `{"a": 1}`)
	p.file(s, "no-agent-at-all/x", "")
	p.rebuild()
	require.Equal(t, []string{`1 "TASK-01" 1 null "prompts/0001-user.md"`}, p.ask("SELECT send, task, attempt, kind, prompt FROM sends"))
	require.Equal(t, []string{`1 1 "{\"a\":1}"`}, p.ask("SELECT send, valid, envelope FROM envelopes"))
}

func TestLinksInAnAgentsFolderAreNotFollowed(t *testing.T) {
	t.Parallel()
	p := newMirrored(t)
	s := p.session("s1")
	secret := filepath.Join(t.TempDir(), "secret.json")
	require.NoError(t, os.WriteFile(secret, []byte(`{"secret":1}`), 0o600))
	p.file(s, "TASK-01-builder/prompts/0001-user.md", "")
	require.NoError(t, os.Symlink(secret, filepath.Join(s.Dir, "TASK-01-builder", "envelope.json")))
	require.NoError(t, os.Symlink(filepath.Dir(secret), filepath.Join(s.Dir, "TASK-02-builder")))
	p.rebuild()
	require.NotContains(t, p.dump(), "secret")
	require.Equal(t, []string{"1"}, p.ask("SELECT count(*) FROM sends"))
}
