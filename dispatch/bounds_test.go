package dispatch_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/window"
)

// Outputs of 256 KiB that would take minutes if any part of reading were quadratic.
func TestTangledOutputIsReadInBoundedTime(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{
		"<task-result", "<task-result ", "<task-result>", "</task-result>", `<task-result status="PASS">`, `<task-result a="`,
		"<task-result><notes>", `<task-result><notes><notes></notes>`, "<task-result><x>", "<task-result><!--", "<task-result><notes><![CDATA[",
		`<task-result status="FAIL"><notes>`, "<", "<a", "<!--", "<![CDATA[", "&", "&#", "\x1b", "\x1b[", "\x1b]", "\x1b]x", " <task-result\t",
		"<task-result><context-handoff><what><what></what>", "<task-result><failure-details><failure><error>",
	} {
		output := []byte(strings.Repeat(unit, (1<<18)/len(unit)))
		start := time.Now()
		r, err := dispatch.ParseResult(output, builder03)
		require.NotEqual(t, dispatch.Pass, r.Status, "%s", unit)
		require.Error(t, err, "%s", unit)
		require.Less(t, time.Since(start), 20*time.Second, "%s", unit)

		inside := `<task-result status="PASS"><context-handoff><what>` + string(output) + `</what></context-handoff></task-result>`
		start = time.Now()
		_, _ = dispatch.ParseResult([]byte(inside), builder03)
		require.Less(t, time.Since(start), 20*time.Second, "%s", unit)
	}
}

func BenchmarkParseResult(b *testing.B) {
	output := []byte(strings.Repeat("I looked at a < b && c, then at <b>that</b>.\n", 2000) + pass("<summary>ok</summary>"+done))
	b.SetBytes(int64(len(output)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := dispatch.ParseResult(output, builder03); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	d := dispatch.Dispatch{To: dispatch.Builder, Work: "WORK-01", Task: "TASK-03", Attempt: 1,
		Spec: dispatch.Spec{File: "tasks/TASK-03.md", Title: "Log in", Action: "implement", Description: strings.Repeat("A line of the TASK.\n", 100)}}
	for range 8 {
		d.Handoffs = append(d.Handoffs, dispatch.Sent{From: "prev-task", Task: "TASK-01", Distance: 1, Level: window.Full, Handoff: four})
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := d.Encode(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
