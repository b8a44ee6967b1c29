package mirror

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/internal/session"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

// begun is the beginning of a run of these TASKs.
func begun(ids ...tasks.ID) scheduler.Event {
	e := scheduler.Event{Type: scheduler.RunStarted, Session: "s1", Work: "WORK-01", Title: "Login", Branch: "main", Folder: "tasks"}
	for i, id := range ids {
		s := scheduler.TaskSpec{ID: id, Title: "Part " + string(id), File: string(id) + ".md", Hash: "sha256:" + string(id), State: scheduler.AsNew}
		if i > 0 {
			s.Deps = ids[i-1 : i]
		}
		e.Tasks = append(e.Tasks, s)
	}
	return e
}

func starts(id tasks.ID, stage dispatch.Stage, attempt int) scheduler.Event {
	return scheduler.Event{Type: scheduler.StageStarted, Task: id, Stage: stage, Attempt: attempt, Executor: "claude", Base: "b0"}
}

func ends(id tasks.ID, stage dispatch.Stage, attempt int, reason string) scheduler.Event {
	e := scheduler.Event{Type: scheduler.StageFinished, Task: id, Stage: stage, Attempt: attempt, Status: dispatch.Pass, Millis: 1500,
		Result: &dispatch.Result{Status: dispatch.Pass, Summary: "did it"}}
	if reason != "" {
		e.Status, e.Reason = dispatch.Fail, reason
	}
	if stage == dispatch.Builder && reason == "" {
		e.Snapshot = &stages.Snapshot{Tree: "t1"}
	}
	return e
}

// data is evidence as an agent records it.
func data(e scheduler.Event, kind scheduler.Type, text string) scheduler.Event {
	e.Type, e.Data = kind, map[string]any{}
	if err := json.Unmarshal([]byte(text), &e.Data); err != nil {
		panic(err)
	}
	return e
}

// conversation is what an agent's step leaves in the record and in its own
// files: a reply that cannot be read, its correction, which a gate refuses, and
// one that is taken.
func (p *mirrored) conversation(s *session.Session, id tasks.ID, attempt int) {
	p.Helper()
	agent := string(id) + "-builder"
	step := scheduler.Event{Task: id, Stage: dispatch.Builder, Attempt: attempt, Executor: "claude"}
	replies := []string{
		`"valid":false,"error":"status is missing","tail":"{}"`,
		`"valid":true,"envelope":{"status":"success","changed_files":["a.go"],"summary":"<b>"},"error":"a.go: is as it was","tail":"x","gates":[{"gate":"changes_in_diff","item":"a.go","ok":false,"note":"is as it was"},{"gate":"nothing_committed","item":"HEAD","ok":true}]`,
		`"valid":true,"envelope":{"status":"success","summary":"done"},"gates":[{"gate":"nothing_committed","item":"HEAD","ok":true}]`,
	}
	var raw strings.Builder
	for i, reply := range replies {
		n := (attempt-1)*len(replies) + i + 1
		prompt := fmt.Sprintf("prompts/%04d-user.md", n)
		sent := fmt.Sprintf(`"send":%d,"kind":%q,"prompt":%q,"coding_agent":"claude","model":"sonnet","session_id":"u1"`, n, []string{"first", "fix", "gates"}[i], prompt)
		answer := fmt.Sprintf(`"send":%d,"output":"BuildOutput",%s,"input_tokens":%d,"output_tokens":20,"usd":0.1,"tools":2`, n, reply, 1000*n)
		p.record(s, data(step, scheduler.AgentSent, "{"+sent+"}"), data(step, scheduler.AgentTool, `{"tool":"bash","input":"ls"}`), data(step, scheduler.AgentReplied, "{"+answer+"}"))
		p.file(s, agent+"/"+prompt, "Build it.\n")
		fmt.Fprintf(&raw, `{"type":"pipeline_send","task":%q,"stage":"builder","attempt":%d,"round":1,%s,"time":"2026-03-12T10:35:01Z"}`+"\n", id, attempt, sent)
		fmt.Fprintf(&raw, `{"type":"assistant","text":"I have {\"type\":\"pipeline_reply\"} in mind"}`+"\n")
		fmt.Fprintf(&raw, `{"type":"pipeline_reply",%s,"time":"2026-03-12T10:35:02Z"}`+"\n", answer)
	}
	p.file(s, agent+"/raw_output.jsonl", p.read(s, agent+"/raw_output.jsonl")+raw.String())
	p.file(s, agent+"/envelope.json", "{\n  \"status\": \"success\",\n  \"summary\": \"done\"\n}\n")
	require.NoError(p, s.Agent(agent).Store(stages.AgentSession{SessionID: "u1", Model: "sonnet", CodingAgent: "claude"}))
}
