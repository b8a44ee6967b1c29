package mirror

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/internal/session"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

// TestWhereARecordIsCutMakesNoDifference adds random events to several sessions,
// in parts between which the mirror is brought up to date. No order of events is
// too strange to be folded: what a record may hold is for the Plan to say.
func TestWhereARecordIsCutMakesNoDifference(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		require.NoError(r, err)
		p := &mirrored{t, session.At(dir)}
		sessions := []*session.Session{p.session("s1"), p.session("s2")}
		for range rapid.IntRange(1, 4).Draw(r, "parts") {
			s := rapid.SampledFrom(sessions).Draw(r, "session")
			for range rapid.IntRange(0, 12).Draw(r, "events") {
				p.record(s, anyEvent(r))
			}
			p.happens(r, s)
			p.update()
		}
		updated := p.dump()
		p.rebuild()
		require.Equal(r, p.dump(), updated)
	})
}

// happens changes something besides the record, sometimes.
func (p *mirrored) happens(r *rapid.T, s *session.Session) {
	switch rapid.IntRange(0, 9).Draw(r, "besides") {
	case 0:
		p.file(s, "agent_map.json", fmt.Sprintf(`{"TASK-01-builder": {"session_id": %q, "model": "", "coding_agent": "claude"}}`, rapid.SampledFrom([]string{"u1", "u2"}).Draw(r, "id")))
	case 1:
		p.file(s, "agent_map.json", "{")
	case 2:
		require.NoError(r, os.RemoveAll(s.EventsFile()))
	case 3:
		p.file(s, "TASK-01-builder/raw_output.jsonl", `{"type":"pipeline_send","task":"TASK-01","stage":"builder","send":1}`+"\n"+`{"type":"pipeline_reply","send":1,"valid":true}`+"\n")
	case 4:
		if rapid.Bool().Draw(r, "torn") {
			p.file(s, "events.jsonl", p.read(s, "events.jsonl")+`{"v":1,"seq":`)
		}
	}
}

// anyEvent is an event of any type about any TASK.
func anyEvent(r *rapid.T) scheduler.Event {
	ids := []tasks.ID{"TASK-01", "TASK-02", "TASK-03"}
	e := scheduler.Event{
		Type: rapid.SampledFrom([]scheduler.Type{
			scheduler.RunStarted, scheduler.RunJoined, scheduler.TaskRespecified, scheduler.StageStarted, scheduler.StageStarted, scheduler.StageFinished,
			scheduler.StageFinished, scheduler.LandingFinished, scheduler.WaitStarted, scheduler.WaitEnded, scheduler.Command, scheduler.TaskLanded,
			scheduler.TaskFailed, scheduler.TaskSkipped, scheduler.RunFinished, scheduler.AgentSent, scheduler.AgentReplied, scheduler.AgentReplied,
			scheduler.AgentText, scheduler.Warning, "of_a_later_version",
		}).Draw(r, "type"),
		Task:    rapid.SampledFrom(append(ids, "")).Draw(r, "task"),
		Stage:   rapid.SampledFrom([]dispatch.Stage{dispatch.Builder, dispatch.Verifier}).Draw(r, "stage"),
		Attempt: rapid.IntRange(0, 3).Draw(r, "attempt"),
		Reason:  rapid.SampledFrom([]string{"", "it's \x00 \x1b[2J red"}).Draw(r, "reason"),
	}
	switch e.Type {
	case scheduler.RunStarted:
		e.Tasks = begun(ids...).Tasks
	case scheduler.TaskRespecified:
		e.Spec = &scheduler.TaskSpec{ID: ids[0], Title: "Anew", State: rapid.SampledFrom([]scheduler.Initial{scheduler.AsNew, scheduler.AsDone, scheduler.AsLeft}).Draw(r, "initial")}
	case scheduler.StageFinished:
		e.Status = rapid.SampledFrom([]dispatch.Status{dispatch.Pass, dispatch.Fail}).Draw(r, "status")
		if rapid.Bool().Draw(r, "used") {
			e.Usage = &stages.Usage{Sends: 1, InputTokens: 7, USD: 0.1}
		}
	case scheduler.LandingFinished:
		e.Outcome = rapid.SampledFrom([]scheduler.Outcome{scheduler.Landed, scheduler.Moved, scheduler.Conflict, scheduler.Blocked}).Draw(r, "outcome")
	case scheduler.WaitStarted:
		e.For = rapid.SampledFrom([]scheduler.WaitFor{scheduler.ForApproval, scheduler.ForRateLimit, scheduler.ForBudget}).Draw(r, "for")
	case scheduler.Command:
		e.Verb = rapid.SampledFrom([]scheduler.Verb{scheduler.Approve, scheduler.Reject, scheduler.RetryIt, scheduler.Skip}).Draw(r, "verb")
	case scheduler.RunFinished:
		e.Verdict, e.Totals = scheduler.AllDone, &scheduler.Totals{Done: 1}
	case scheduler.AgentSent, scheduler.AgentReplied:
		text := fmt.Sprintf(`{"send":%d,"kind":"first","valid":%t,"fault":%q,"usd":0.1,"input_tokens":%s,"envelope":{"z":1,"a":[]},"gates":[{"gate":"g","item":"i","ok":true}]}`,
			rapid.IntRange(1, 3).Draw(r, "send"), rapid.Bool().Draw(r, "valid"),
			rapid.SampledFrom([]string{"", "rate limited"}).Draw(r, "fault"), rapid.SampledFrom([]string{"5", `"many"`, "null", "1e3"}).Draw(r, "tokens"))
		require.NoError(r, json.Unmarshal([]byte(text), &e.Data))
	}
	return e
}

func TestSeveralProcessesAtOnceComeToTheSame(t *testing.T) {
	t.Parallel()
	p := newMirrored(t)
	for i := range 6 {
		p.example(fmt.Sprintf("s%d", i))
	}
	over := make(chan error)
	for i := range 8 {
		go func() {
			var err error
			if i%4 == 0 {
				_, err = p.mirror().Rebuild(context.Background())
			} else {
				_, err = p.mirror().Update(context.Background())
			}
			over <- err
		}()
	}
	for range 8 {
		require.NoError(t, <-over)
	}
	updated := p.dump()
	p.rebuild()
	require.Equal(t, p.dump(), updated)
}
