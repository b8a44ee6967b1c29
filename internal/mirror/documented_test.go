package mirror

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheDocumentedTablesAreThoseOfTheMirror(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "query.md"))
	require.NoError(t, err)
	_, documented, found := strings.Cut(string(page), "\n### ")
	require.True(t, found)
	var tables []string
	for _, table := range Tables() {
		text := fmt.Sprintf("%s\n\n%s.\n\n| column | type | what it says |\n|---|---|---|\n", table.Name, strings.ToUpper(table.About[:1])+table.About[1:])
		for _, c := range table.Columns {
			text += fmt.Sprintf("| `%s` | %s | %s |\n", c.Name, c.Type, c.About)
		}
		tables = append(tables, text)
	}
	require.Equal(t, strings.Join(tables, "\n### "), documented)
}
