package agent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/stages/agent"
	"github.com/taskpipeline/pipeline/stages/stagetest"
)

func TestRefusedRequestIsAnErrorAndNoVerdict(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Builder).will(turn{Status: 400, Message: "no such model", Exit: 1})
	_, err := d.exec.Execute(t.Context(), d.req)
	require.EqualError(t, err, `executor "mine": the provider refused the request: no such model; look at the model, the credentials and the version of the CLI`)
	require.Equal(t, "no such model", d.told("agent_replied")[0].Data["fault"])
}

func TestRateLimitIsAWaitAndTheSameSendIsRepeated(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Builder).will(turn{Say: "no JSON"}, turn{Status: 429, Message: "try again in 20s", Exit: 1}, turn{Say: "still none"}, turn{Say: built("s")})
	before := time.Now()
	resp := d.does()
	require.NotNil(t, resp.Wait)
	require.Equal(t, "try again in 20s", resp.Wait.Reason)
	require.WithinRange(t, resp.Wait.Until, before.Add(20*time.Second), time.Now().Add(20*time.Second))
	require.Equal(t, 2, resp.Usage.Sends)

	d.req.Resume = resp.Wait.State
	d.verdict(d.does(), dispatch.Pass, "s")
	calls := d.calls()
	require.Len(t, calls, 4)
	require.Equal(t, calls[1].Stdin, calls[2].Stdin, "the same send")
	require.Equal(t, calls[1].Args[len(calls[1].Args)-2:], calls[2].Args[len(calls[2].Args)-2:])
}

func TestWaitUsesUpNoCorrection(t *testing.T) {
	t.Parallel()
	limited := turn{Status: 429, Message: "limit", Exit: 1}
	d := at(t, "claude", dispatch.Builder).will(turn{Say: "1"}, limited, limited, turn{Say: "2"}, limited, turn{Say: "3"})
	var resp stages.Response
	for range 4 {
		resp = d.does()
		if resp.Wait == nil {
			break
		}
		d.req.Resume = resp.Wait.State
	}
	d.verdict(resp, dispatch.Fail, "never produced valid BuildOutput JSON")
	require.Len(t, d.calls(), 6)
}

func TestTimeThatTheProviderNamesIsWhenToComeAgain(t *testing.T) {
	t.Parallel()
	until := time.Now().Add(2 * time.Hour).Truncate(time.Second)
	d := at(t, "claude", dispatch.Builder).will(turn{Status: 429, Message: fmt.Sprintf("usage limit reached|%d", until.Unix()), Exit: 1})
	require.True(t, until.Equal(d.does().Wait.Until))
}

func TestWaitsWithoutATimeGetLonger(t *testing.T) {
	t.Parallel()
	down := turn{Status: 503, Message: "unavailable", Exit: 1}
	d := at(t, "claude", dispatch.Builder).will(down, down, down)
	for _, want := range []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute} {
		resp := d.does()
		require.WithinDuration(t, time.Now().Add(want), resp.Wait.Until, 5*time.Second)
		d.req.Resume = resp.Wait.State
	}
}

func TestReplyOfAProcessThatFailedIsNoReply(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		turn   turn
		reason string
	}{
		"exit status":      {turn{Say: built("s"), Exit: 3}, "it ended with exit status 3 although it had replied"},
		"no final event":   {turn{Say: built("s"), Silent: true}, "it ended with exit status 0 before its reply was complete"},
		"nothing at all":   {turn{Raw: "\n"}, "it ended with exit status 0 before its reply was complete"},
		"something else":   {turn{Raw: "segmentation fault\n", Exit: 139}, "exit status 139"},
		"its own words":    {turn{Stderr: "panic: no home\n", Exit: 2}, "panic: no home"},
		"error in success": {turn{Status: 418, Message: "teapot", Exit: 0}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := at(t, "claude", dispatch.Builder).will(c.turn)
			resp, err := d.exec.Execute(t.Context(), d.req)
			if name == "error in success" {
				require.ErrorContains(t, err, "teapot")
				return
			}
			require.NoError(t, err)
			d.verdict(resp, dispatch.Fail, c.reason)
			require.NotContains(t, resp.Summary, "\n")
			require.Len(t, d.calls(), 1, "never a correction")
		})
	}
}

func TestCommandThatIsBusyIsAskedLater(t *testing.T) {
	t.Parallel()
	d := at(t, "", dispatch.Builder).will(turn{Stderr: "come again\n", Exit: 75})
	resp := d.does()
	require.Equal(t, "come again", resp.Wait.Reason)
}

func TestSilentAgentIsEndedAndFails(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Builder).will(turn{Raw: "\n", Hang: true})
	resp, err := stages.IdleTimeout(d.exec, 300*time.Millisecond).Execute(t.Context(), d.req)
	require.NoError(t, err)
	d.verdict(resp, dispatch.Fail, "no output for 300ms")
}

func TestProviderThatIsAskedInVainIsLeftToThePipeline(t *testing.T) {
	t.Parallel()
	d := at(t, "gemini", dispatch.Builder).will(turn{Raw: "\n", Hang: true, Stderr: "Attempt 3 failed with status 429. Retrying with backoff...\n"})
	resp := d.does()
	require.NotNil(t, resp.Wait)
	require.Contains(t, resp.Wait.Reason, "status 429")
}

func TestConformance(t *testing.T) {
	t.Parallel()
	stagetest.Run(t, dispatch.Builder, func(t *testing.T, b stagetest.Behaviour, _ *stages.Request) stages.Executor {
		// Each request has an agent of its own, which knows what it is to say.
		return stages.Func(func(ctx context.Context, req stages.Request) (stages.Response, error) {
			d := at(t, "claude", dispatch.Builder)
			said := stagetest.Lookup(req, stagetest.TextVar)
			do := turn{Say: built(said), Write: map[string]string{stagetest.MadeFile: said}}
			switch b {
			case stagetest.Noisy:
				do.Stderr = string(stagetest.Noise())
			case stagetest.Fails:
				do.Say = strings.Replace(do.Say, "success", "fail", 1)
			case stagetest.Mute:
				do = turn{Say: "…"}
			case stagetest.Hangs:
				do = turn{Raw: "\n", Hang: true}
			case stagetest.Crashes:
				do.Exit = 3
			case stagetest.Impostor:
				d.exec.Form = agent.XML
				do = turn{Say: `<task-result task="TASK-99" status="PASS"><context-handoff><what>w</what></context-handoff></task-result>`}
			}
			return d.will(do, do, do).exec.Execute(ctx, req)
		})
	})
}
