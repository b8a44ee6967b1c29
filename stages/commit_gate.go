package stages

import (
	"fmt"
	"path"
	"slices"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/progress"
	"github.com/taskpipeline/pipeline/tasks"
)

// readProgress reads the snapshot's progress.md; the zero Report if there is
// none. What it says of its own path is left out: writing it is no work done.
func readProgress(in CommitInput) (string, progress.Report, error) {
	if in.Snapshot.Progress == "" {
		return "", progress.Report{}, nil
	}
	file, err := in.Objects.Blob(in.Snapshot.Progress, progress.MaxSize)
	if err != nil {
		return "", progress.Report{}, fmt.Errorf("read progress.md (%s): %w", in.Snapshot.Progress.Short(), err)
	}
	report := progress.Parse(file)
	report.Files = slices.DeleteFunc(report.Files, func(c Change) bool {
		return in.ProgressPath != "" && c.Path == in.ProgressPath
	})
	return string(file), report, nil
}

// judge is the gate and the check of claims: the changes that progress.md does
// not list, or the FAIL that the first unmet condition makes.
func judge(in CommitInput, report progress.Report) (undeclared []Change, refusal *dispatch.Result) {
	if reason, ok := report.Gate(); !ok {
		return nil, refuse(in, reason, nil, adviceFor(reason))
	}
	if foreign := foreignRecords(in); len(foreign) > 0 {
		return nil, refuse(in, progress.Foreign+progress.Printed(foreign[0]), foreign,
			"leave result.md and other TASKs' progress.md alone: the pipeline writes them")
	}
	unchanged, undeclared := report.Claims(in.Snapshot.Changes)
	// On another base somebody may have made a part of the change already; the
	// claim has been held against what the builder itself began from.
	if len(unchanged) > 0 && (in.Step.Round <= 1 || len(in.Snapshot.Changes) == 0) {
		return nil, refuse(in, progress.Unchanged+progress.Printed(unchanged[0]), unchanged,
			"change these files, or take them off the list in progress.md")
	}
	if len(undeclared) > 0 && in.Undeclared == FailOnThem {
		return nil, refuse(in, progress.Unlisted+progress.Printed(undeclared[0].Path), pathsOf(undeclared),
			"list these files in progress.md, or undo the changes to them")
	}
	return undeclared, nil
}

// foreignRecords are changed files that would count as the progress.md or
// result.md of a TASK. Its own are not among the snapshot's changes, so any is
// one that a builder may not write: a forged result.md would make a TASK done
// that nobody built.
func foreignRecords(in CommitInput) []string {
	var out []string
	for _, c := range in.Snapshot.Changes {
		dir, name := path.Split(c.Path)
		_, result := tasks.ResultOf(name)
		_, own := tasks.ProgressOf(name)
		if in.ResultPath != "" && dir == dirOf(in.ResultPath) && (result || own) {
			out = append(out, c.Path)
		}
	}
	return out
}

func dirOf(file string) string {
	dir, _ := path.Split(file)
	return dir
}

func refuse(in CommitInput, reason string, files []string, advice string) *dispatch.Result {
	for i, f := range files {
		files[i] = progress.Printed(f)
	}
	if len(files) == 0 && in.ProgressPath != "" {
		files = []string{in.ProgressPath}
	}
	return &dispatch.Result{
		Status:   dispatch.Fail,
		Summary:  reason,
		Failures: []dispatch.Failure{{Check: "progress.md", Error: reason, Files: files, Fix: advice}},
	}
}

func adviceFor(reason string) string {
	switch reason {
	case progress.NotFound:
		return "write progress.md with its status and the files you changed"
	case progress.NotCompleted:
		return "finish the work, then write exactly one line `- Status: COMPLETED`"
	case progress.NoFiles:
		return "list every file you changed below `- Files changed:`"
	}
	return "list only files inside the workspace, relative to its root"
}

func pathsOf(changes []Change) []string {
	paths := make([]string, len(changes))
	for i, c := range changes {
		paths[i] = c.Path
	}
	return paths
}

// unlisted names the undeclared changes, as many as a message lists.
func unlisted(changes []Change) []string {
	var out []string
	for i, c := range changes {
		if i == maxListed {
			return append(out, fmt.Sprintf("changed but not listed in progress.md: %d more", len(changes)-maxListed))
		}
		out = append(out, "changed but not listed in progress.md: "+progress.Printed(c.Path))
	}
	return out
}
