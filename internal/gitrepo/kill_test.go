package gitrepo

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/stages"
)

// landingChild, when set, makes this test binary land one candidate and end:
// dir, candidate and base, in three variables.
const landingChild = "GITREPO_TEST_LAND"

func TestLandingKilledAtAnyTimeIsFinishedByTheNextRun(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv(landingChild); dir != "" {
		repo, err := Open(ctx(), Config{Dir: dir, Session: "s1", TasksDir: dir + "/tasks"})
		require.NoError(t, err)
		_, err = repo.Land(ctx(), stages.Landing{
			Task: "TASK-01", Candidate: stages.Hash(os.Getenv("CANDIDATE")), Base: stages.Hash(os.Getenv("BASE")),
		})
		require.NoError(t, err)
		return
	}
	const runs = 12
	for i := range runs {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			files := map[string]string{"a.txt": "two\n"}
			for n := range 50 {
				files[fmt.Sprintf("many/%02d.txt", n)] = fmt.Sprint("content ", n, "\n")
			}
			l := f.build("TASK-01", files)
			f.write("dir/b.txt", "the user's edit\n")
			f.write("mine.txt", "the user's\n")
			cmd := exec.Command(os.Args[0], "-test.run", "^TestLandingKilledAtAnyTimeIsFinishedByTheNextRun$")
			cmd.Env = append(os.Environ(), landingChild+"="+f.dir, "CANDIDATE="+string(l.Candidate), "BASE="+string(l.Base))
			require.NoError(t, cmd.Start())
			time.AfterFunc(time.Duration(10+i*12)*time.Millisecond, func() { _ = cmd.Process.Kill() })
			_ = cmd.Wait()

			f.open()
			way, err := f.repo.Follow(ctx())
			require.NoError(t, err)
			require.Empty(t, way)
			require.Equal(t, "landed", f.land(l).Outcome)

			require.Equal(t, "2", f.git("rev-list", "--count", "HEAD"))
			require.Equal(t, " M dir/b.txt\n?? mine.txt", f.git("status", "--porcelain"))
			require.Equal(t, "the user's edit\n", f.read("dir/b.txt"))
			require.NoFileExists(t, f.repo.landingMark())
		})
	}
}
