package progress_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/progress"
)

const files = "- Files changed:\n  - `a.go` — CREATE\n"

func refusal(file string) string {
	reason, _ := progress.Parse([]byte(file)).Gate()
	return reason
}

func TestMissingFileDoesNotPass(t *testing.T) {
	t.Parallel()
	reason, ok := progress.Report{}.Gate()
	require.False(t, ok)
	require.Equal(t, "progress.md not found", reason)
}

func TestExistingCompletedAndListingFilesPasses(t *testing.T) {
	t.Parallel()
	require.Empty(t, refusal("- Status: COMPLETED\n"+files))
}

func TestStatusIsReadInItsSpellings(t *testing.T) {
	t.Parallel()
	for _, status := range []string{
		"Status: COMPLETED", "- status: COMPLETED", "* STATUS : COMPLETED", "> Status: COMPLETED", "> - Status: COMPLETED",
		"**Status:** COMPLETED", "**Status**: COMPLETED", "- **Status: COMPLETED**", "Status: **COMPLETED**", "__Status__: COMPLETED",
		"## Status\nCOMPLETED", "## Status\n\nCOMPLETED", "### status:\n\n**COMPLETED**", "## Status\n<!-- one word -->\nCOMPLETED",
		"Status: COMPLETED <!-- PENDING | COMPLETED -->", "\ufeffStatus: COMPLETED\r",
	} {
		require.Empty(t, refusal(status+"\n\n"+files), "%s", status)
	}
}

func TestStatusElsewhereOrOtherwiseDoesNotPass(t *testing.T) {
	t.Parallel()
	for _, status := range []string{
		"", "Status:", "Status: completed", "Status: COMPLETED_WITH_ERRORS", "Status: COMPLETED!", "Status: NOT COMPLETED", "Status: COMPLETED (almost)",
		"The Status: COMPLETED", "Substatus: COMPLETED", "    Status: COMPLETED", "`Status: COMPLETED`",
		"```\nStatus: COMPLETED\n```", "~~~\nStatus: COMPLETED", "- ```\n  Status: COMPLETED\n  ```", "<!--\nStatus: COMPLETED\n-->", "<!-- -- Status: COMPLETED\n",
		"## Status\n```\nCOMPLETED\n```", "## Status\n## Next\nCOMPLETED", "## Status", "## Status\n- COMPLETED",
		"Status: COMPLETED\nStatus: IN_PROGRESS", "Status: IN_PROGRESS\n- Status: COMPLETED", "Status: COMPLETED\nStatus: COMPLETED", "## Status\nCOMPLETED\nStatus: COMPLETED",
	} {
		require.Equal(t, "status not COMPLETED", refusal(files+"\n"+status), "%s", status)
	}
}

func TestListWithoutARealPathIsNoFilesChanged(t *testing.T) {
	t.Parallel()
	for _, list := range []string{
		"", "- Files changed:", "- Files changed: (none)", "- Files changed: a.go, b.go", "- Files changed:\n```\n- a.go\n```", "- Files changed:\n<!--\n  - a.go\n-->",
		"- Files changed:\n  - None", "- Files changed:\n  - (none)", "- Files changed:\n  - `N/A`", "- Files changed:\n  - TBD", "- Files changed:\n  - 없음", "- Files changed:\n  - なし", "- Files changed:\n  - —",
		"- Files changed:\n- a.go is next", "## Files changed\nprose about a.go", "The files changed:\n- a.go",
	} {
		require.Equal(t, "no files changed", refusal("Status: COMPLETED\n\n"+list), "%s", list)
	}
}

func TestEntriesAreReadInTheirSpellings(t *testing.T) {
	t.Parallel()
	for entry, want := range map[string]progress.Change{
		"`a b.go` — CREATE":           {Path: "a b.go", Action: progress.Create},
		"`a.go` – modified":           {Path: "a.go", Action: progress.Modify},
		"`a.go` - DELETE":             {Path: "a.go", Action: progress.Delete},
		"`a.go`":                      {Path: "a.go"},
		"a.go":                        {Path: "a.go"},
		"a.go (created)":              {Path: "a.go", Action: progress.Create},
		"a.go (see notes)":            {Path: "a.go"},
		"a - b.go - MODIFY":           {Path: "a - b.go", Action: progress.Modify},
		"a.go — CREATE — the handler": {Path: "a.go", Action: progress.Create},
		"a.go - rewritten":            {Path: "a.go"},
		"Modified: a.go":              {Path: "a.go", Action: progress.Modify},
		"Deleted: `a.go`":             {Path: "a.go", Action: progress.Delete},
		"**a.go** (new)":              {Path: "a.go", Action: progress.Create},
		"./a.go":                      {Path: "a.go"},
		"`x/../a.go` — MODIFY":        {Path: "a.go", Action: progress.Modify},
		`"a\nb.go" — CREATE`:          {Path: "a\nb.go", Action: progress.Create},
		"`` a`b.go `` — CREATE":       {Path: "a`b.go", Action: progress.Create},
		"`서울/길.md` — 생성":              {Path: "서울/길.md", Action: progress.Create},
	} {
		r := progress.Parse([]byte("Files changed:\n- " + entry + "\n"))
		require.Equal(t, []progress.Change{want}, r.Files, "%s", entry)
	}
}

func TestPathListedTwiceCountsOnceWithItsLastAction(t *testing.T) {
	t.Parallel()
	r := progress.Parse([]byte("## Files Changed\n### Created\n- a.go\n- b.go\n### Deleted\n- ./a.go\n## Log\n- c.go\n"))
	require.Equal(t, []progress.Change{{Path: "a.go", Action: progress.Delete}, {Path: "b.go", Action: progress.Create}}, r.Files)
}

func TestColonInAPathIsNotTakenForAnAction(t *testing.T) {
	t.Parallel()
	for entry, want := range map[string]progress.Change{
		"`Modified:` — MODIFY":  {Path: "Modified:", Action: progress.Modify},
		"`new: a.go` — DELETE":  {Path: "new: a.go", Action: progress.Delete},
		"Modified: `a.go`":      {Path: "a.go", Action: progress.Modify},
		"`Modified`: a.go":      {Path: "a.go", Action: progress.Modify},
		"**Modified:** a.go":    {Path: "a.go", Action: progress.Modify},
		"**Modified**: `a.go`":  {Path: "a.go", Action: progress.Modify},
		"**Modified:** `a b:c`": {Path: "a b:c", Action: progress.Modify},
	} {
		r := progress.Parse([]byte("Files changed:\n- " + entry + "\n"))
		require.Equal(t, []progress.Change{want}, r.Files, "%s", entry)
	}
}

func TestPathOutsideTheWorkspaceDoesNotPass(t *testing.T) {
	t.Parallel()
	for listed, printed := range map[string]string{
		"../a": "../a", "/etc/passwd": "/etc/passwd", "a/../../b": "../b", ".git/config": ".git/config", "sub/.GIT/hooks/x": "sub/.GIT/hooks/x", "..": "..",
	} {
		require.Equal(t, "path outside the workspace: "+printed, refusal("Status: COMPLETED\nFiles changed:\n- ok.go\n- "+listed+"\n"))
	}
}

func TestClaimsCountOnlyWhereTheDiffShowsThem(t *testing.T) {
	t.Parallel()
	r := progress.Parse([]byte("Files changed:\n- a.go\n- b.go\n"))
	unchanged, undeclared := r.Claims([]progress.Change{{Path: "a.go", Action: progress.Delete}, {Path: "c.go", Action: progress.Create}})
	require.Equal(t, []string{"b.go"}, unchanged)
	require.Equal(t, []progress.Change{{Path: "c.go", Action: progress.Create}}, undeclared)
}

func TestLargeFilesAreReadInBoundedTime(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"  - `a%d`\n", " ( %d", "- %d\n", "<!--%d", "`%d", ">%d", "> ", "\\<!--"} {
		var b strings.Builder
		b.WriteString("- Files changed:\n  - x")
		for i := 0; b.Len() < progress.MaxSize/4; i++ {
			if strings.Contains(unit, "%d") {
				fmt.Fprintf(&b, unit, i)
			} else {
				b.WriteString(unit)
			}
		}
		start := time.Now()
		progress.Parse([]byte(b.String()))
		progress.ParseResult([]byte("## Files Changed\n- x" + b.String()))
		require.Less(t, time.Since(start), 20*time.Second, "%s", unit)
	}
}

func ExampleParse() {
	r := progress.Parse([]byte(`# TASK-03 Progress

- Status: IN_PROGRESS
- Files changed:
  - ` + "`auth/login.go`" + ` — CREATE
`))
	fmt.Println(r.Gate())
	// Output:
	// status not COMPLETED false
}

func ExampleRender() {
	started := time.Date(2026, 3, 12, 10, 35, 0, 0, time.UTC)
	os.Stdout.Write(progress.Render("TASK-03", progress.Completed, started, started.Add(time.Minute), []progress.Change{
		{Path: "auth/login.go", Action: progress.Create},
	}))
	// Output:
	// # TASK-03 Progress
	//
	// - Status: COMPLETED
	// - Started: 2026-03-12T10:35:00Z
	// - Updated: 2026-03-12T10:36:00Z
	// - Files changed:
	//   - `auth/login.go` — CREATE
}

func FuzzParse(f *testing.F) {
	names, err := filepath.Glob("testdata/cases/*/progress.md")
	require.NoError(f, err)
	for _, name := range names {
		b, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		r := progress.Parse(file)
		reason, ok := r.Gate()
		require.Equal(t, ok, reason == "")
		again := progress.Parse(progress.Render("TASK-03", progress.Completed, time.Time{}, time.Time{}, r.Files))
		require.Equal(t, r.Files, again.Files)
	})
}
