package stages_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
)

func TestEnvironmentOfAStage(t *testing.T) {
	t.Parallel()
	req := stages.Request{
		Step:       stages.Step{Task: "TASK-03", Stage: dispatch.Builder, Attempt: 2},
		Session:    "S1",
		Progress:   "/w/tasks/TASK-03_progress.md",
		HandoffDir: "/s/context_handoff",
		Env:        []string{"MORE=1"},
	}
	require.Equal(t, []string{
		"PIPELINE_TASK=TASK-03",
		"PIPELINE_STAGE=builder",
		"PIPELINE_ATTEMPT=2",
		"PIPELINE_ROUND=1",
		"PIPELINE_SESSION=S1",
		"PIPELINE_PROGRESS=/w/tasks/TASK-03_progress.md",
		"PIPELINE_CONTEXT_HANDOFF_DIR=/s/context_handoff",
		"PIPELINE_CONTEXT_HANDOFF=/s/context_handoff",
		"PIPELINE_AGENT_SESSION=" + req.AgentSession(),
		"MORE=1",
	}, req.Environ())
}

func TestAgentSessionIsOfOneStageOfOneTaskInOneSession(t *testing.T) {
	t.Parallel()
	req := stages.Request{Session: "S1", Step: stages.Step{Task: "TASK-03", Stage: dispatch.Builder, Attempt: 1}}
	id := req.AgentSession()
	require.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, id)

	later := req
	later.Step.Attempt, later.Step.Round = 3, 2
	require.Equal(t, id, later.AgentSession(), "a later attempt goes on in the same session")

	other := req
	other.Step.Stage = dispatch.Verifier
	require.NotEqual(t, id, other.AgentSession(), "another stage has another")
	other = req
	other.Session = "S2"
	require.NotEqual(t, id, other.AgentSession(), "another run's session has another")
}
