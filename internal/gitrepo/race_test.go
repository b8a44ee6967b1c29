package gitrepo

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// This test changes PATH for git, so it does not run beside others.
func TestCommitThatComesBetweenTheLookAndTheMoveIsNotLost(t *testing.T) {
	f := newFixture(t)
	l := f.build("TASK-01", map[string]string{"new.txt": "new\n"})
	real, err := exec.LookPath("git")
	require.NoError(t, err)
	dir := t.TempDir()
	// A git that lets somebody commit while it is asked whether files may follow.
	script := `#!/bin/sh
case "$*" in
*--dry-run*)
	if ! test -e '` + dir + `/done'; then
		: > '` + dir + `/done'
		'` + real + `' -C '` + f.dir + `' commit -q --allow-empty -m Theirs
	fi ;;
esac
exec '` + real + `' "$@"
`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))

	res := f.land(l)

	require.FileExists(t, filepath.Join(dir, "done"))
	require.Equal(t, "moved", res.Outcome, "the landing looks again")
	require.Equal(t, f.head(), res.Onto)
	require.Equal(t, "Theirs", f.git("log", "-1", "--format=%s"))
	require.NoFileExists(t, f.repo.landingMark())
	require.Empty(t, f.git("status", "--porcelain"))
}
