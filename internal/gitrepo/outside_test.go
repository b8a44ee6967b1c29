package gitrepo

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/stages"
)

func TestRecordsOfAFolderThatIsNotCommittedAreCopiedAtLanding(t *testing.T) {
	t.Parallel()
	for name, place := range map[string]func(*fixture, *Config){
		"ignored":                func(f *fixture, _ *Config) { f.write(".git/info/exclude", "tasks/\n") },
		"only result.md ignored": func(f *fixture, _ *Config) { f.write(".git/info/exclude", "*_result.md\n") },
		"outside":                func(f *fixture, c *Config) { c.TasksDir = f.t.TempDir() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newRepository(t)
			if name == "ignored" {
				f.git("rm", "-qr", "--cached", "tasks")
				f.git("commit", "-qm", "untrack")
			}
			cfg := f.config(func(c *Config) { c.OutsideDir = filepath.Join(f.t.TempDir(), "session") })
			place(f, &cfg)
			var err error
			f.repo, err = Open(ctx(), cfg)
			require.NoError(t, err)
			require.False(t, f.repo.TasksCommitted())
			base := f.tip()
			ws := f.fresh("TASK-01")
			require.Equal(t, filepath.Join(cfg.OutsideDir, "TASK-01_progress.md"), ws.Progress)
			require.Empty(t, ws.ProgressPath)
			f.writeIn(ws.Dir, "new.txt", "x\n")
			require.NoError(t, os.WriteFile(ws.Progress, []byte("p\n"), 0o644))
			h, snap := f.candidate("TASK-01", base)
			b, err := f.repo.Blob(snap.Progress, 100)
			require.NoError(t, err)
			require.Equal(t, "p\n", string(b))
			require.NoFileExists(t, filepath.Join(cfg.TasksDir, "TASK-01_result.md"), "not before it has landed")

			require.Equal(t, "landed", f.land(stages.Landing{Task: "TASK-01", Candidate: h, Base: base}).Outcome)

			require.FileExists(t, filepath.Join(cfg.TasksDir, "TASK-01_progress.md"))
			require.FileExists(t, filepath.Join(cfg.TasksDir, "TASK-01_result.md"))
			require.Equal(t, "A\tnew.txt", f.git("diff-tree", "-r", "--no-commit-id", "--name-status", "HEAD"))

			require.NoError(t, os.Remove(filepath.Join(cfg.TasksDir, "TASK-01_result.md")))
			half := filepath.Join(cfg.TasksDir, ".TASK-01_result.md.new")
			require.NoError(t, os.WriteFile(half, []byte("half a"), 0o644))
			_, err = f.repo.Follow(ctx())
			require.NoError(t, err)
			require.FileExists(t, filepath.Join(cfg.TasksDir, "TASK-01_result.md"), "a kill before the copy is made good")
			require.NoFileExists(t, half)
			f.fresh("TASK-01")
			require.NoFileExists(t, ws.Progress, "Fresh starts without it")
		})
	}
}

func TestOutsideNamesStayInTheirFolder(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *Config) { c.OutsideDir = t.TempDir() })
	for _, name := range []string{"../x", "a/b", "/x", "", ".."} {
		c := f.described("TASK-01", f.tip(), f.tip())
		c.Outside = map[string][]byte{name: nil}
		_, err := f.repo.Candidate(ctx(), c)
		require.ErrorContains(t, err, "is not the name of a file", name)
	}
}
