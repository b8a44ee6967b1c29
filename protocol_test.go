package pipeline_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/progress"
	"github.com/taskpipeline/pipeline/stages"
)

var protocol = filepath.Join("docs", "protocol.md")

func TestTheMessagesOfTheProtocolAreValid(t *testing.T) {
	t.Parallel()
	for page, least := range map[string]int{protocol: 4, "README.md": 1} {
		messages := fences(read(t, page), "xml")
		require.GreaterOrEqual(t, len(messages), least)
		for _, m := range messages {
			var err error
			if strings.HasPrefix(m, "<dispatch") {
				_, err = dispatch.Parse([]byte(m))
			} else {
				var r dispatch.Result
				r, err = dispatch.ParseResult([]byte(m), dispatch.Expect{Task: "TASK-03", Agent: dispatch.Builder})
				require.Empty(t, r.Warnings)
			}
			require.NoError(t, err, "%s: %s", page, m)
		}
	}
}

func TestTheVariablesOfTheProtocolAreThoseOfAStage(t *testing.T) {
	t.Parallel()
	var given, told []string
	for _, entry := range (stages.Request{}).Environ() {
		name, _, _ := strings.Cut(entry, "=")
		given = append(given, name)
	}
	for _, row := range tableRows(sectionOf(t, protocol, "Environment"))[1:] {
		told = append(told, code(row[0]))
	}
	require.ElementsMatch(t, given, told)
}

func TestTheGateDecidesAsTheProtocolSays(t *testing.T) {
	t.Parallel()
	section := sectionOf(t, protocol, "progress.md")
	var example string
	for _, block := range fences(section, "markdown") {
		example += block
	}
	report := progress.Parse([]byte(example))
	reason, ok := report.Gate()
	require.True(t, ok, reason)
	require.Len(t, report.Files, 2)

	reasons := []string{
		progress.NotFound, progress.NotCompleted, progress.NoFiles,
		progress.Outside + "PATH", progress.Foreign + "PATH", progress.Unchanged + "PATH", progress.Unlisted + "PATH",
	}
	var told []string
	spelled := 0
	for _, row := range tableRows(section) {
		switch {
		case row[1] == "COMPLETED" || row[1] == "refused":
			spelled++
			_, ok := progress.Parse([]byte(code(row[0]) + "\n\n- Files changed:\n  - a.go\n")).Gate()
			require.Equal(t, row[1] == "COMPLETED", ok, row[0])
		case strings.HasPrefix(row[0], "`"):
			told = append(told, code(row[0]))
		}
	}
	require.Equal(t, reasons, told, "in the order in which they are checked")
	require.Greater(t, spelled, 5)
}
