package pipeline_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/taskpipeline/pipeline"

// TestLayersAreThoseOfTheArchitecture compares the table in ARCHITECTURE.md
// with what the packages import.
func TestLayersAreThoseOfTheArchitecture(t *testing.T) {
	t.Parallel()
	allowed := layerTable(t)
	for name, imports := range ownImports(t) {
		may, ok := allowed[name]
		require.True(t, ok, "package %s has no row in ARCHITECTURE.md", name)
		for _, imported := range imports {
			require.Contains(t, may, imported, "%s may not import %s by ARCHITECTURE.md", name, imported)
		}
		delete(allowed, name)
	}
	require.Empty(t, allowed, "ARCHITECTURE.md has rows for packages that do not exist")
}

// layerTable reads the rows of the Packages table: package → what it may import.
func layerTable(t *testing.T) map[string][]string {
	text, err := os.ReadFile("ARCHITECTURE.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(text), "\n## Packages\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	table := map[string][]string{}
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 5 || !strings.Contains(cells[1], "`") {
			continue
		}
		var may []string
		for _, name := range strings.Split(cells[3], ",") {
			if name = strings.TrimSpace(name); name != "–" {
				may = append(may, name)
			}
		}
		table[strings.Trim(strings.TrimSpace(cells[1]), "`")] = may
	}
	require.NotEmpty(t, table)
	return table
}

// ownImports asks the go command which of our packages import which.
func ownImports(t *testing.T) map[string][]string {
	list := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	out, err := list.Output()
	require.NoError(t, err)
	short := func(path string) string {
		if path == module {
			return "pipeline"
		}
		return strings.TrimPrefix(path, module+"/")
	}
	imports := map[string][]string{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return imports
		}
		require.NoError(t, err)
		own := []string{}
		for _, i := range p.Imports {
			if i == module || strings.HasPrefix(i, module+"/") {
				own = append(own, short(i))
			}
		}
		slices.Sort(own)
		imports[short(p.ImportPath)] = own
	}
}
