package cli

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatInitWritesIsSound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	code, _, stderr := typed(dir, "init")
	require.Zero(t, code, stderr)
	code, stdout, stderr := typed(dir, "validate")
	require.Zero(t, code, stderr)
	require.Equal(t, "tasks: 1 TASK, no errors\n", stdout)
}

func TestEverySettingThatInitShowsIsItsDefault(t *testing.T) {
	t.Parallel()
	uncommented := regexp.MustCompile(`(?m)^# ([a-z_]+: )`).ReplaceAll(template("pipeline.yaml"), []byte("$1"))
	uncommented = regexp.MustCompile(`(?m)^jobs: .*$`).ReplaceAll(uncommented, nil) // depends on the machine
	dir, plain := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(dir+"/pipeline.yaml", uncommented, 0o644))

	code, said, stderr := typed(dir, "config", "show")
	require.Zero(t, code, stderr)
	_, defaults, _ := typed(plain, "config", "show")
	require.Equal(t, defaults, said)

	_, origins, _ := typed(dir, "config", "show", "--origin")
	for _, key := range []string{"attempts", "isolation", "timeout", "idle_timeout", "undeclared", "window.full"} {
		require.Regexp(t, regexp.QuoteMeta(key)+` .*pipeline.yaml:`, origins)
	}
}

func TestInitLooksForTasksWhereTheConfigSays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{"pipeline.yaml": "tasks: plan\n"})
	code, stdout, stderr := typed(dir, "init")
	require.Zero(t, code, stderr)
	require.Equal(t, "kept  pipeline.yaml\nwrote plan/TASK-01-say-hello.md\n", stdout)
}
