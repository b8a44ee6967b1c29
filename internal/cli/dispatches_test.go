package cli_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/internal/cli"
)

var update = flag.Bool("update", false, "rewrite golden files")

// newRepository makes a repository of the given files with one commit.
func newRepository(t *testing.T, files map[string]string) string {
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
	}
	for _, args := range []string{"init -q -b main", "config user.name n", "config user.email n@localhost", "add .", "commit -qm start"} {
		cmd := exec.Command("git", strings.Fields(args)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	return dir
}

// pipelineIn runs a command line in a folder, in this process.
func pipelineIn(dir string, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	p := &cli.Process{Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Environ: os.Environ(), Dir: dir}
	return cli.Main(context.Background(), p), out.String(), errs.String()
}

// recorder is a builder that keeps what it is sent, byte for byte.
const recorder = `#!/bin/sh
mkdir -p "$SENT"
cat > "$SENT/$PIPELINE_TASK-$PIPELINE_STAGE-$PIPELINE_ATTEMPT.xml"
case $PIPELINE_STAGE in
builder)
	echo "$PIPELINE_TASK" > "$PIPELINE_TASK.txt"
	printf -- '- Status: COMPLETED\n- Files changed:\n  - %s — CREATE\n' "$PIPELINE_TASK.txt" > "$PIPELINE_PROGRESS"
	echo "<task-result status='PASS'><context-handoff><what>$PIPELINE_TASK is written</what><why>$PIPELINE_TASK was asked for</why><caution>$PIPELINE_TASK is short</caution></context-handoff></task-result>"
	;;
verifier)
	if [ "$PIPELINE_TASK#$PIPELINE_ATTEMPT" = "TASK-03#1" ]; then
		echo "<task-result status='FAIL'><summary>1 of 2 tests red</summary><failure-details><failure check='tests'><error>want 3, got 4</error><file>TASK-03.txt</file></failure></failure-details><context-handoff><what>Ran 2 tests</what><why>One is red</why><caution>Count again</caution></context-handoff></task-result>"
		exit 0
	fi
	echo "<task-result status='PASS'><context-handoff><what>$PIPELINE_TASK is right</what><why>2 tests are green</why></context-handoff></task-result>"
	;;
esac
`

// TestEveryDispatchOfARun captures what each stage of a chain of five TASKs is
// sent: the verifier the builder's handoff in full; the committer the
// verifier's in full, then the builder's summary; the next TASK FULL, SUMMARY,
// nothing; a builder after a FAIL the verifier's handoff and details.
func TestEveryDispatchOfARun(t *testing.T) {
	t.Parallel()
	sent := t.TempDir()
	files := map[string]string{
		"record.sh":     recorder,
		"pipeline.yaml": fmt.Sprintf("version: 1\njobs: 1\nstages: {builder: rec, verifier: rec}\nexecutors:\n  rec: {command: [./record.sh], env: {SENT: %s}}\n", sent),
		"tasks/PLAN.md": "# WORK-01: Five in a row\n",
	}
	for n := 1; n <= 5; n++ {
		text := fmt.Sprintf("# TASK-%02d: Step %d\n\n## Dependencies\n- TASK-%02d\n", n, n, n-1)
		if n == 1 {
			text = "# TASK-01: Step 1\n"
		}
		files[fmt.Sprintf("tasks/TASK-%02d.md", n)] = text
	}
	dir := newRepository(t, files)
	code, stdout, stderr := pipelineIn(dir, "run", "-o", "plain", "--session", "golden")
	require.Zero(t, code, stdout+stderr)

	var all bytes.Buffer
	for n := 1; n <= 5; n++ {
		for _, stage := range []string{"builder", "verifier", "committer"} {
			folder := filepath.Join(dir, ".pipeline", "sessions", "golden", fmt.Sprintf("TASK-%02d-%s", n, stage))
			kept, err := filepath.Glob(filepath.Join(folder, "dispatch-*.xml"))
			require.NoError(t, err)
			require.NotEmpty(t, kept)
			for _, name := range kept {
				xml, err := os.ReadFile(name)
				require.NoError(t, err)
				attempt := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(name), "dispatch-"), ".xml")
				fmt.Fprintf(&all, "<!-- TASK-%02d/%s#%s -->\n%s", n, stage, attempt, xml)
				if stage == "committer" {
					continue
				}
				got, err := os.ReadFile(filepath.Join(sent, fmt.Sprintf("TASK-%02d-%s-%s.xml", n, stage, attempt)))
				require.NoError(t, err)
				require.Equal(t, string(xml), string(got), "what is kept is what was sent")
			}
		}
	}
	golden := filepath.Join("testdata", "dispatches.golden")
	if *update {
		require.NoError(t, os.WriteFile(golden, all.Bytes(), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), all.String())
}
