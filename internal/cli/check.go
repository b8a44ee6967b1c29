package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

func checkCommand(p *Process) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "check [SESSION]",
		Short: "Compare a session's record with its files, commits and trailers",
		Long: `Go through a session's record and compare each link of it with what it speaks of:
the steps' dispatch and task-result files by their sha256, each landed commit by
its trailers and its tree, which must be what its verifier passed plus the TASK's
progress.md and result.md, or what the session's reverify let land without. Exit 1
at the first link that does not hold.`,
		Example: "  pipeline check\n  pipeline check 01JD",
		GroupID: groupLook,
		Args:    atMost(1),
		RunE: func(c *cobra.Command, args []string) error {
			named := ""
			if len(args) == 1 {
				named = args[0]
			}
			return runCheck(c.Context(), p, named, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// checked is what a record that holds was compared with.
type checked struct {
	Session string `json:"session"`
	Holds   bool   `json:"holds"`
	Events  int    `json:"events"`
	Files   int    `json:"files"`
	Commits int    `json:"commits"`
}

func runCheck(ctx context.Context, p *Process, named string, asJSON bool) error {
	pr, err := p.project(ctx)
	if err != nil {
		return err
	}
	s, err := pr.pick(named)
	if err != nil {
		return err
	}
	events, err := s.Read()
	if err != nil {
		return faultf(errIntegrity, "%v", err)
	}
	if len(events) == 0 {
		return faultf(errIntegrity, "%s: the record is empty or gone", p.typed(s.EventsFile()))
	}
	if _, err := scheduler.Replay(nil, events); err != nil {
		return faultf(errIntegrity, "%s: %v", p.typed(s.EventsFile()), err)
	}
	a := audit{project: pr, dir: s.Dir, id: s.ID, files: map[string]link{}, seen: map[tasks.ID]verified{}}
	for i := range events {
		a.note(&events[i])
	}
	if err := a.checkFiles(p); err != nil {
		return err
	}
	if err := a.checkCommits(ctx); err != nil {
		return err
	}
	if asJSON {
		return p.printJSON(checked{s.ID, true, len(events), len(a.files), len(a.landed)})
	}
	_, err = fmt.Fprintf(p.Stdout, "session %s holds: %d events, %d files, %d commits\n", s.ID, len(events), len(a.files), len(a.landed))
	return err
}

// audit collects the links of a record that can be compared with something.
type audit struct {
	project *project
	dir, id string
	options scheduler.Options
	folder  string          // of the TASKs, in the repository
	files   map[string]link // by name in the session's folder: the last that was written counts
	order   []string
	seen    map[tasks.ID]verified
	landed  []landing
}

// verified is what a TASK's steps so far have led to.
type verified struct {
	spec   string
	judged stages.Hash // what the next verifier judges: a snapshot, or on another base a candidate
	passed stages.Hash // what its last verifier passed
	merged bool        // git merged files for its base
}

// landing is a commit with what was verified for it.
type landing struct {
	scheduler.Event
	verified
}

// link is a file that an event gives the sha256 of.
type link struct {
	seq int64
	sum string
}

func (a *audit) note(e *scheduler.Event) {
	if e.Config != nil {
		a.options = *e.Config
	}
	v := a.seen[e.Task]
	switch e.Type {
	case scheduler.RunStarted:
		a.folder = e.Folder
		for _, t := range e.Tasks {
			a.seen[t.ID] = verified{spec: t.Hash}
		}
		return
	case scheduler.TaskRespecified:
		v = verified{spec: e.Spec.Hash}
	case scheduler.StageFinished:
		step := stages.Step{Task: e.Task, Stage: e.Stage, Attempt: e.Attempt, Round: e.Round}
		if e.Hashes != nil {
			a.file(step.Agent()+"/dispatch-"+step.Number()+".xml", link{e.Seq, e.Hashes.Dispatch})
			a.file(step.Agent()+"/task-result-"+step.Number()+".xml", link{e.Seq, e.Hashes.Result})
		}
		if e.Status == dispatch.Pass {
			v.step(e, a.options)
		}
	case scheduler.LandingFinished:
		if e.Outcome == scheduler.Moved {
			v.judged, v.passed, v.merged = "", "", len(e.Paths) > 0
		}
	case scheduler.TaskLanded:
		a.landed = append(a.landed, landing{*e, v})
	default:
		return
	}
	a.seen[e.Task] = v
}

// step takes in a step that passed.
func (v *verified) step(e *scheduler.Event, o scheduler.Options) {
	switch {
	case e.Stage == dispatch.Builder:
		v.judged, v.passed = e.Snapshot.Tree, ""
	case e.Stage == dispatch.Verifier:
		v.passed = v.judged
	case e.Round > 1:
		if v.judged = e.Commit; !o.Reverifies(v.merged) {
			v.passed = e.Commit
		}
	}
}

func (a *audit) file(name string, l link) {
	if _, ok := a.files[name]; !ok {
		a.order = append(a.order, name)
	}
	a.files[name] = l
}

// checkFiles compares the steps' files with the sums in the record.
func (a *audit) checkFiles(p *Process) error {
	for _, name := range a.order {
		l := a.files[name]
		path := filepath.Join(a.dir, filepath.FromSlash(name))
		b, err := os.ReadFile(path)
		if err != nil {
			return faultf(errIntegrity, "event %d speaks of a file that cannot be read: %v", l.seq, err)
		}
		if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != l.sum {
			return faultf(errIntegrity, "%s is not the file that event %d recorded: its sha256 differs", p.typed(path), l.seq)
		}
	}
	return nil
}

// checkCommits compares each landed commit with the record. A commit that is
// gone from the repository after a squash or a rebase says so.
func (a *audit) checkCommits(ctx context.Context) error {
	for i := range a.landed {
		e := &a.landed[i]
		message, err := a.project.repo.Message(e.Commit)
		if err != nil {
			return faultf(errIntegrity, "event %d: the commit %s of %s is not in the repository: %v", e.Seq, e.Commit.Short(), e.Task, err)
		}
		for _, trailer := range []string{"Pipeline-Task: " + string(e.Task), "Pipeline-Session: " + a.id, "Pipeline-Spec: " + e.spec} {
			if !slices.Contains(strings.Split(message, "\n"), trailer) {
				return faultf(errIntegrity, "event %d: the commit %s has no trailer %q", e.Seq, e.Commit.Short(), trailer)
			}
		}
		if e.passed == "" {
			return faultf(errIntegrity, "event %d: %s landed, but the record holds no tree of it that a verifier passed", e.Seq, e.Task)
		}
		if a.isSnapshotAndResult(e) {
			continue
		}
		changes, err := a.project.repo.Changes(e.passed, e.Commit)
		if err != nil {
			return faultf(errIntegrity, "event %d: the commit %s cannot be compared with what its verifier passed: %v", e.Seq, e.Commit.Short(), err)
		}
		for _, c := range changes {
			if !a.belongs(c.Path, e.Task) {
				return faultf(errIntegrity, "event %d: the commit %s holds %s otherwise than its verifier saw it", e.Seq, e.Commit.Short(), c.Path)
			}
		}
	}
	return nil
}

// isSnapshotAndResult tells whether a commit holds what its verifier passed and
// a result.md, as nearly all do. For that the snapshot itself need not be there:
// git collects it some time after the session is done.
func (a *audit) isSnapshotAndResult(e *landing) bool {
	if !filepath.IsLocal(a.folder) {
		return false
	}
	tree, err := a.project.repo.Without(e.Commit, path.Join(a.folder, e.Task.ResultFile()))
	return err == nil && tree == e.passed
}

// belongs tells whether a path is a TASK's own progress.md or result.md.
func (a *audit) belongs(name string, id tasks.ID) bool {
	return name == path.Join(a.folder, id.ProgressFile()) || name == path.Join(a.folder, id.ResultFile())
}
