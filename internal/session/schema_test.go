package session

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"reflect"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/schemas"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/window"
)

func schema(t *testing.T, name string) (*jsonschema.Schema, map[string]any) {
	t.Helper()
	b, err := schemas.Get(name)
	require.NoError(t, err)
	raw, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	require.NoError(t, c.AddResource(name, raw))
	s, err := c.Compile(name)
	require.NoError(t, err)
	return s, raw.(map[string]any)
}

// jsonKeys are the names under which a struct's fields are written.
func jsonKeys(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func properties(t *testing.T, at map[string]any) []string {
	t.Helper()
	var names []string
	for name := range at["properties"].(map[string]any) {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func TestTheSchemaHasTheKeysOfTheStructs(t *testing.T) {
	t.Parallel()
	_, raw := schema(t, "event")
	props, defs := raw["properties"].(map[string]any), raw["$defs"].(map[string]any)
	for value, at := range map[any]any{
		scheduler.Event{}.Config: props["config"], scheduler.Totals{}: props["totals"], scheduler.Hashes{}: props["sha256"],
		stages.Usage{}: props["usage"], window.Handoff{}: defs["handoff"], dispatch.Check{}: defs["check"],
	} {
		kind := reflect.TypeOf(value)
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		require.Equal(t, jsonKeys(kind), properties(t, at.(map[string]any)), kind.String())
	}
	require.Equal(t, jsonKeys(reflect.TypeFor[scheduler.Event]()), properties(t, raw))
	require.Equal(t, jsonKeys(reflect.TypeFor[dispatch.Result]()), properties(t, defs["result"].(map[string]any)))
	require.Equal(t, jsonKeys(reflect.TypeFor[scheduler.TaskSpec]()), properties(t, defs["spec"].(map[string]any)))
	require.Equal(t, jsonKeys(reflect.TypeFor[stages.Snapshot]()), properties(t, props["snapshot"].(map[string]any)))

	_, raw = schema(t, "agent_map")
	require.Equal(t, jsonKeys(reflect.TypeFor[stages.AgentSession]()), properties(t, raw["additionalProperties"].(map[string]any)))
}

// everyEvent has one event of each type, with the fields it may carry.
func everyEvent() []scheduler.Event {
	hash := stages.Hash(strings.Repeat("0123456789", 4))
	until := start.Add(time.Hour)
	handoff := window.Handoff{What: "did it", Incomplete: "None"}
	result := &dispatch.Result{
		Work: "WORK-01", Task: "TASK-03", Agent: dispatch.Builder, Status: dispatch.Pass, Summary: "s",
		FilesChanged: []dispatch.FileChange{{Action: "created", Path: "a"}}, SelfCheck: []dispatch.Check{{Name: "build", Status: "PASS"}},
		Failures: []dispatch.Failure{{Check: "tests", Error: "red", Files: []string{"a"}, Fix: "mend"}}, Handoff: &handoff,
		Commit: &dispatch.Commit{Message: "m", Type: "feat"}, Warnings: []string{"w"},
	}
	spec := scheduler.TaskSpec{ID: "TASK-03", Title: "t", File: "TASK-03.md", Hash: "sha256:0", State: scheduler.AsDone, Handoff: &handoff, Commit: hash}
	all := []scheduler.Event{
		{Type: scheduler.RunStarted, Session: "s", Work: "WORK-01", Title: "t", Branch: "main", Folder: "tasks", Config: &scheduler.Options{Attempts: 3, MaxWait: time.Hour}, Tasks: []scheduler.TaskSpec{spec}},
		{Type: scheduler.RunJoined, Session: "s", Config: &scheduler.Options{}},
		{Type: scheduler.TaskRespecified, Task: "TASK-03", Spec: &spec, Reason: "changed"},
		{Type: scheduler.StageStarted, Task: "TASK-03", Stage: dispatch.Builder, Attempt: 1, Base: hash, Executor: "script"},
		{Type: scheduler.StageFinished, Task: "TASK-03", Stage: dispatch.Builder, Attempt: 1, Round: 2, Status: dispatch.Pass, Result: result, Usage: &stages.Usage{Sends: 1, USD: 0.5}, Millis: 3,
			Snapshot: &stages.Snapshot{Tree: hash, Progress: hash, Changes: []stages.Change{{Path: "a", Action: "CREATE"}}}, Hashes: &scheduler.Hashes{Dispatch: "x", Result: "y"}},
		{Type: scheduler.LandingFinished, Task: "TASK-03", Outcome: scheduler.Moved, Onto: hash, Tree: hash},
		{Type: scheduler.LandingFinished, Task: "TASK-03", Outcome: scheduler.Conflict, With: "TASK-05", Paths: []string{"a"}},
		{Type: scheduler.WaitStarted, Task: "TASK-03", For: scheduler.ForRateLimit, Until: &until, State: []byte(`{"send":1}`)},
		{Type: scheduler.WaitEnded, Task: "TASK-03", For: scheduler.ForRateLimit},
		{Type: scheduler.Command, Verb: scheduler.RetryIt, Task: "TASK-03", From: "clean", Request: NewID(start)},
		{Type: scheduler.TaskStarted, Task: "TASK-03"},
		{Type: scheduler.TaskLanded, Task: "TASK-03", Commit: hash, Base: hash, Tree: hash},
		{Type: scheduler.TaskFailed, Task: "TASK-03", Reason: "no files changed"},
		{Type: scheduler.TaskSkipped, Task: "TASK-03"},
		{Type: scheduler.RunHalted},
		{Type: scheduler.RunFinished, Verdict: "failed", Totals: &scheduler.Totals{Failed: 1}},
		{Type: scheduler.AgentSent}, {Type: scheduler.AgentReplied}, {Type: scheduler.Warning, Reason: "careful"},
	}
	for i := range all {
		all[i].V, all[i].Seq, all[i].Time = scheduler.Version, int64(i+1), start
	}
	return all
}

func TestEveryWrittenEventIsValid(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	j, _, err := s.Journal()
	require.NoError(t, err)
	for _, e := range everyEvent() {
		require.True(t, known(e.Type), e.Type)
		require.NoError(t, j.Append(&e))
	}
	require.NoError(t, j.Close())
	contract, _ := schema(t, "event")
	for line := range strings.Lines(text(t, s.EventsFile())) {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
		require.NoError(t, err)
		require.NoError(t, contract.Validate(v), line)
	}
	back, err := s.Read()
	require.NoError(t, err)
	require.Equal(t, everyEvent()[:9], back[:9])
}

func TestTheEventSchemaRefusesWhatIsNoEvent(t *testing.T) {
	t.Parallel()
	contract, _ := schema(t, "event")
	for _, bad := range []string{
		`{}`, `{"v":2,"seq":1,"time":"2026-03-12T10:35:00Z","type":"x"}`, `{"v":1,"seq":0,"time":"2026-03-12T10:35:00Z","type":"x"}`,
		`{"v":1,"seq":1,"time":"2026-03-12T10:35:00Z","type":"stage_finished"}`, `{"v":1,"seq":1,"time":"2026-03-12T10:35:00Z","type":"command","verb":"explode"}`,
	} {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(bad))
		require.NoError(t, err)
		require.Error(t, contract.Validate(v), bad)
	}
}

func TestAWrittenAgentMapIsValid(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	require.NoError(t, s.Agent("TASK-03-builder").Store(claude("one")))
	contract, _ := schema(t, "agent_map")
	var v any
	require.NoError(t, json.Unmarshal([]byte(text(t, filepath.Join(s.Dir, agentMapFile))), &v))
	require.NoError(t, contract.Validate(v))
}
