package gitrepo

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/stages"
)

// sized makes a repository of n files in directories of a hundred, packed.
func sized(b *testing.B, n int) *fixture {
	b.Helper()
	f := newRepository(b)
	f.git("config", "gc.auto", "0") // not while it is measured
	for i := range n {
		f.write(fmt.Sprintf("src/d%03d/f%02d.txt", i/100, i%100), fmt.Sprint(i, "\n"))
	}
	f.commit("many files")
	f.git("gc", "-q")
	f.open()
	return f
}

func sizes(b *testing.B, bench func(*testing.B, *fixture)) {
	for _, n := range []int{100, 10_000, 100_000} {
		b.Run(fmt.Sprintf("files=%d", n), func(b *testing.B) { bench(b, sized(b, n)) })
	}
}

// BenchmarkBesideGit is the commit step beside `git add; git commit` of one
// file, and a snapshot beside `git status` in the same workspace.
func BenchmarkBesideGit(b *testing.B) {
	sizes(b, func(b *testing.B, f *fixture) {
		base := f.tip()
		ws := f.fresh("TASK-01")
		f.writeIn(ws.Dir, "new.txt", "x\n")
		c := f.described("TASK-01", base, f.snapshot("TASK-01").Tree)
		b.Run("candidate", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				c.Message = fmt.Sprint("candidate ", i)
				_, err := f.repo.Candidate(ctx(), c)
				require.NoError(b, err)
			}
		})
		b.Run("git-commit", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				f.write("new.txt", fmt.Sprint(i))
				f.git("add", "new.txt")
				f.git("commit", "-qm", "x")
			}
		})
		b.Run("snapshot", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				f.writeIn(ws.Dir, "new.txt", fmt.Sprint(i))
				f.snapshot("TASK-01")
			}
		})
		b.Run("git-status", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				f.writeIn(ws.Dir, "new.txt", fmt.Sprint(i))
				f.gitIn(ws.Dir, "status", "--porcelain", "-z", "-uall")
			}
		})
	})
}

// BenchmarkOpen moves a slot to a new base of one changed file.
func BenchmarkOpen(b *testing.B) {
	sizes(b, func(b *testing.B, f *fixture) {
		first := f.tip()
		f.write("a.txt", "second\n")
		bases := []stages.Hash{first, f.commit("second")}
		f.lease(stages.Lease{Task: "TASK-01", Base: first})
		for i := 1; b.Loop(); i++ {
			f.lease(stages.Lease{Task: "TASK-01", Base: bases[i%2]})
		}
	})
}

// BenchmarkLand puts one candidate after the other on the checked-out branch.
func BenchmarkLand(b *testing.B) {
	sizes(b, func(b *testing.B, f *fixture) {
		tip := f.tip()
		tree, err := f.repo.Tree(tip)
		require.NoError(b, err)
		for i := 0; b.Loop(); i++ {
			c := f.described("TASK-01", tip, tree)
			c.Files["new.txt"] = []byte(fmt.Sprint(i))
			h, err := f.repo.Candidate(ctx(), c)
			require.NoError(b, err)
			require.Equal(b, "landed", f.land(stages.Landing{Task: "TASK-01", Candidate: h, Base: tip}).Outcome)
			tip = h
		}
	})
}

// BenchmarkReadDir looks up 10,000 results, as a plan does at its start.
func BenchmarkReadDir(b *testing.B) {
	f := newRepository(b)
	require.NoError(b, os.MkdirAll(filepath.Join(f.dir, "tasks"), 0o755))
	for i := range 10_000 {
		f.write(fmt.Sprintf("tasks/TASK-%05d_result.md", i), fmt.Sprint("> Status: **DONE** ", i))
	}
	tip := f.commit("done")
	for b.Loop() {
		r, err := Find(ctx(), f.dir)
		require.NoError(b, err)
		names, err := r.ReadDir(tip, "tasks")
		require.NoError(b, err)
		for _, h := range names {
			_, err := r.Blob(h, 1<<16)
			require.NoError(b, err)
		}
	}
}
