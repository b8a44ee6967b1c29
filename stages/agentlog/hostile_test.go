package agentlog_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/stages/agentlog"
)

func TestWhatIsNoEventIsPassedOver(t *testing.T) {
	t.Parallel()
	stream := strings.Join([]string{
		"", "not JSON", "[1,2]", "null", `{"type":null}`, `{"type":7,"message":"x","item":[],"part":0,"error":"e"}`,
		`{"type":"result","usage":"many","permission_denials":{}}{`, `{"type":`, strings.Repeat("[", 100_000), "\xff\xfe{}",
		strings.Repeat("x", 17<<20),
	}, "\n")
	for _, c := range agentlog.Known() {
		outcome, events := heard(c, []byte(stream), 1<<16)
		require.Empty(t, events, "%s", c)
		require.False(t, outcome.Ended, "%s", c)
		require.Equal(t, 8, outcome.Noise, "%s", c)
		require.NotNil(t, agentlog.Diagnose(c, outcome, "", 0), "%s", c)
	}
}

func TestTextsOfEventsAreBoundedAndHoldNoControls(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`\u001b[31mred\u001b[0m\u0007\u0000\r` + strings.Repeat("é", 100_000), strings.Repeat(`\ud800`, 100)} {
		stream := fmt.Sprintf(`{"type":"item.completed","item":{"type":"agent_message","text":"%s"}}`+"\n"+
			`{"type":"item.started","item":{"type":"command_execution","command":"%s"}}`+"\n", text, text)
		_, events := heard(agentlog.Codex, []byte(stream), 1<<20)
		require.Len(t, events, 2)
		for _, e := range events {
			for _, s := range []string{e.Text, e.Tool, e.Input} {
				require.True(t, utf8.ValidString(s))
				require.LessOrEqual(t, len(s), 64<<10)
				require.NotContains(t, s, "[31m")
				require.Negative(t, strings.IndexFunc(s, unicode.IsControl))
			}
		}
	}
}

func TestReplyIsKeptWhole(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789abcdef", 4<<16)
	stream := `{"type":"turn.started"}` + "\n" + `{"type":"item.completed","item":{"type":"agent_message","text":"` + long + `"}}` + "\n" + `{"type":"turn.completed","usage":{}}` + "\n"
	outcome, _ := heard(agentlog.Codex, []byte(stream), 1000)
	require.Equal(t, long, outcome.Final)
	require.Nil(t, agentlog.Diagnose(agentlog.Codex, outcome, "", 0))
}

func TestWhatFollowsALastWordMakesItNone(t *testing.T) {
	t.Parallel()
	const finished = `{"type":"step_finish","part":{"reason":"stop"}}` + "\n"
	outcome, events := heard(agentlog.OpenCode, []byte(`{"type":"text","part":{"text":"first"}}`+"\n"+finished+`{"type":"step_start"}`+"\n"+`{"type":"text","part":{"text":"more"}}`+"\n"), 100)
	require.False(t, outcome.Ended)
	require.Equal(t, agentlog.Ended, events[1].Kind)
	require.NotNil(t, agentlog.Diagnose(agentlog.OpenCode, outcome, "", 0))
	outcome, events = heard(agentlog.OpenCode, []byte(finished+`{"type":"step_start"}`+"\n"+`{"type":"text","part":{"text":"more"}}`+"\n"+finished), 100)
	require.True(t, outcome.Ended)
	require.Equal(t, "more", outcome.Final)
	require.Len(t, events, 3)
}

func TestEndlessReplyIsAFault(t *testing.T) {
	t.Parallel()
	r := agentlog.NewReader(agentlog.Gemini, nil)
	piece := []byte(`{"type":"message","role":"assistant","delta":true,"content":"` + strings.Repeat("x", 1<<20) + `"}` + "\n")
	for range 50 {
		_, _ = r.Write(piece)
	}
	outcome := r.Outcome()
	require.LessOrEqual(t, len(outcome.Final), 16<<20)
	fault := agentlog.Diagnose(agentlog.Gemini, outcome, "", 0)
	require.Equal(t, "the reply is longer than 16 MiB", fault.Message)
}

func FuzzReader(f *testing.F) {
	for i, rec := range recordings(f) {
		f.Add(rec.stream[:min(len(rec.stream), 4000)], i, 100)
	}
	f.Fuzz(func(t *testing.T, stream []byte, which, n int) {
		known := agentlog.Known()
		c := known[uint(which)%uint(len(known))]
		whole, events := heard(c, stream, len(stream)+1)
		split, pieces := heard(c, stream, 1+int(uint(n)%uint(len(stream)+1)))
		require.Equal(t, whole, split)
		require.Equal(t, events, pieces)
		for _, e := range events {
			require.True(t, utf8.ValidString(e.Text+e.Tool+e.Input+e.SessionID+e.Model))
		}
		if !whole.Ended {
			require.NotNil(t, agentlog.Diagnose(c, whole, "", 0))
		}
	})
}
