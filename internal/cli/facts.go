package cli

import (
	"context"
	"os"
	"path/filepath"

	"github.com/taskpipeline/pipeline/internal/gitrepo"
	"github.com/taskpipeline/pipeline/progress"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
	"github.com/taskpipeline/pipeline/window"
)

// resultLimit bounds what is read of a result.md.
const resultLimit = 1 << 20

// facts looks up, once, what the target branch says about the TASKs. inRepo is
// the tasks folder's path in the repository; committed is false when results
// are kept in the folder itself.
func facts(ctx context.Context, repo *gitrepo.Reader, tip stages.Hash, dir, inRepo string, committed bool) (scheduler.Facts, error) {
	f := scheduler.Facts{
		Results:   map[tasks.ID]scheduler.FoundResult{},
		Committed: committed,
		Contains: func(h stages.Hash) bool {
			ok, err := repo.Reachable(ctx, h, tip)
			return err == nil && ok
		},
	}
	if !committed {
		return f, folderResults(f.Results, dir)
	}
	if inRepo == "." {
		inRepo = ""
	}
	files, err := repo.ReadDir(tip, inRepo)
	if err != nil {
		return f, err
	}
	for name, blob := range files {
		if id, ok := tasks.ResultOf(name); ok {
			text, err := repo.Blob(blob, resultLimit)
			if err != nil {
				return f, err
			}
			addResult(f.Results, id, text)
		}
	}
	return f, nil
}

func folderResults(into map[tasks.ID]scheduler.FoundResult, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if id, ok := tasks.ResultOf(e.Name()); ok {
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return err
			}
			addResult(into, id, text)
		}
	}
	return nil
}

func addResult(into map[tasks.ID]scheduler.FoundResult, id tasks.ID, text []byte) {
	r := progress.ParseResult(text)
	if !r.Done {
		return
	}
	into[id] = scheduler.FoundResult{Spec: r.Spec, Handoff: window.Merge(r.Builder, r.Verifier)}
}
