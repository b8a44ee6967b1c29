package pipeline_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// documents are the pages that people read.
func documents(t *testing.T) []string {
	pages, err := filepath.Glob(filepath.Join("docs", "*.md"))
	require.NoError(t, err)
	examples, err := filepath.Glob(filepath.Join("examples", "*", "*.md"))
	require.NoError(t, err)
	return append(append(pages, examples...), "README.md", "ARCHITECTURE.md", "CHANGELOG.md", filepath.Join("examples", "README.md"))
}

var link = regexp.MustCompile(`\]\(([^)#\s]*)(#[^)\s]*)?\)`)

func TestEveryLinkOfTheDocumentsLeadsSomewhere(t *testing.T) {
	t.Parallel()
	for _, page := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(read(t, page), -1) {
			target := page
			if strings.Contains(m[1], "://") {
				continue
			}
			if m[1] != "" {
				target = filepath.Join(filepath.Dir(page), filepath.FromSlash(m[1]))
			}
			require.FileExists(t, orReadable(target), "%s links to %s", page, m[0])
			if m[2] != "" {
				require.Contains(t, anchors(read(t, target)), m[2], "%s links to %s", page, m[0])
			}
		}
	}
}

// orReadable is a folder's own page: a folder is linked to as it is.
func orReadable(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		entries, err := os.ReadDir(path)
		if err == nil && len(entries) > 0 {
			return filepath.Join(path, entries[0].Name())
		}
	}
	return path
}

var (
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	noWord  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchors are the names under which a page's headings are linked to.
func anchors(page string) []string {
	var all []string
	for _, m := range heading.FindAllStringSubmatch(page, -1) {
		name := noWord.ReplaceAllString(strings.ToLower(m[1]), "")
		all = append(all, "#"+strings.ReplaceAll(name, " ", "-"))
	}
	return all
}

func read(t *testing.T, page string) string {
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	return string(text)
}

// sectionOf is the text below a heading of level 2.
func sectionOf(t *testing.T, page, title string) string {
	_, section, found := strings.Cut(read(t, page), "\n## "+title+"\n")
	require.True(t, found, "%s has no section %q", page, title)
	section, _, _ = strings.Cut(section, "\n## ")
	return section
}

// fences are the texts of a page's fenced blocks of one language.
func fences(page, language string) []string {
	var all []string
	var open string // the fence that closes the block being read
	var block *strings.Builder
	for l := range strings.Lines(page) {
		line := strings.TrimRight(l, "\n")
		ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case open == "" && len(ticks) >= 3:
			open = ticks
			if line[len(ticks):] == language {
				block = &strings.Builder{}
			}
		case open != "" && line == open:
			if block != nil {
				all = append(all, block.String())
			}
			open, block = "", nil
		case block != nil:
			block.WriteString(l)
		}
	}
	return all
}

// tableRows are the rows of all tables of a text, heads among them, with their
// cells as they are written but for `\|`.
func tableRows(text string) [][]string {
	const bar = "\x00"
	var rows [][]string
	for l := range strings.Lines(text) {
		line := strings.TrimSpace(l)
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|-") {
			continue
		}
		line = strings.Trim(strings.ReplaceAll(line, `\|`, bar), "|")
		var row []string
		for _, cell := range strings.Split(line, "|") {
			row = append(row, strings.ReplaceAll(strings.TrimSpace(cell), bar, "|"))
		}
		rows = append(rows, row)
	}
	return rows
}

var (
	testName = regexp.MustCompile("`([a-z][a-z0-9/]*)\\.((?:Test|Fuzz|Example)[A-Za-z0-9_]*)`")
	script   = regexp.MustCompile("`([a-z/_]+\\.txtar)`")
)

// TestEveryTestThatADocumentNamesExists keeps proofs from being only claims.
func TestEveryTestThatADocumentNamesExists(t *testing.T) {
	t.Parallel()
	named := 0
	for _, page := range documents(t) {
		text := read(t, page)
		for _, m := range testName.FindAllStringSubmatch(text, -1) {
			require.True(t, hasTest(t, m[1], m[2]), "%s names %s", page, m[0])
			named++
		}
		for _, m := range script.FindAllStringSubmatch(text, -1) {
			require.FileExists(t, filepath.FromSlash(m[1]), "%s names it", page)
		}
	}
	require.Greater(t, named, 50)
}

func hasTest(t *testing.T, pkg, name string) bool {
	files, err := filepath.Glob(filepath.Join(filepath.FromSlash(pkg), "*_test.go"))
	require.NoError(t, err)
	for _, file := range files {
		if strings.Contains(read(t, file), "\nfunc "+name+"(") {
			return true
		}
	}
	return false
}
