package gitrepo

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/taskpipeline/pipeline/stages"
)

// Repo is a repository that one session works on. It is a stages.Workspaces,
// a stages.Lander, a stages.Objects and stages.Hooks. It is safe for concurrent use, as long
// as one goroutine at a time works on one TASK.
type Repo struct {
	*Reader
	cfg      Config
	log      *slog.Logger
	ref      string      // target branch, "refs/heads/…"
	known    stages.Hash // its tip when it was opened, then the last that landed
	settings settings
	ident    identities
	tasks    string // the tasks folder in the repository, "" for its root
	outside  bool   // the tasks folder is not committed
	plain    bool   // no git setting converts the content of files

	refs *refWriter

	mu     sync.Mutex
	slots  []*slot
	adding sync.Mutex // git takes no lock of its own for `worktree add`
	land   sync.Mutex
}

var (
	_ stages.Workspaces = (*Repo)(nil)
	_ stages.Lander     = (*Repo)(nil)
	_ stages.Objects    = (*Repo)(nil)
	_ stages.Hooks      = (*Repo)(nil)
)

// Open checks the repository and returns it ready for work. A *Refusal says
// why nothing can be built in it as it stands, and what to do about it.
func Open(ctx context.Context, cfg Config) (*Repo, error) {
	reader, err := Find(ctx, cfg.Dir)
	if err != nil {
		return nil, err
	}
	r := &Repo{Reader: reader, cfg: cfg, log: cfg.Logger, refs: &refWriter{git: reader.git}}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	if r.cfg.Isolation == "" {
		r.cfg.Isolation = Worktree
	}
	if r.settings, err = readSettings(ctx, r.git); err != nil {
		return nil, err
	}
	for _, check := range []func() error{
		func() error { return r.checkFormat(r.settings) },
		func() error { return r.checkSession(ctx) },
		func() error { return r.chooseBranch(ctx) },
		r.checkQuiet,
		func() error { return r.checkElsewhere(r.ref) },
		func() error { return r.checkSubmodules(ctx) },
		func() error { return r.checkIsolation(ctx) },
	} {
		if err := check(); err != nil {
			return nil, err
		}
	}
	if r.ident, err = readIdentities(ctx, r.git); err != nil {
		return nil, err
	}
	if err := r.placeTasks(ctx); err != nil {
		return nil, err
	}
	r.plain = r.convertsNothing()
	if err := os.RemoveAll(r.indexesDir()); err != nil { // of a run that was killed
		return nil, err
	}
	if r.known, err = r.Tip(ctx); err != nil {
		return nil, err
	}
	if err := r.recallSlots(); err != nil {
		return nil, err
	}
	return r, r.checkLeft(ctx)
}

// Branch is the target branch without "refs/heads/".
func (r *Repo) Branch() string { return strings.TrimPrefix(r.ref, heads) }

// TasksCommitted tells whether progress.md and result.md are committed; if
// not, they are kept in OutsideDir and copied to TasksDir at landing.
func (r *Repo) TasksCommitted() bool { return !r.outside }

// Tip is the commit that the target branch points at now.
func (r *Repo) Tip(context.Context) (stages.Hash, error) {
	h, ok, err := r.objects.ref(r.ref)
	if err != nil {
		return "", err
	}
	if !ok {
		return "", fmt.Errorf("the branch %s is gone from %s; make it again with `git branch %[1]s <commit>`", r.Branch(), r.root)
	}
	return stages.Hash(h.String()), nil
}

func (r *Repo) checkSession(ctx context.Context) error {
	if _, err := r.git.run(ctx, "check-ref-format", candidateRef(r.cfg.Session, "TASK-00")); err != nil || strings.Contains(r.cfg.Session, "/") {
		return refuse("choose another one of letters, digits, . _ and -", "the session's name %q cannot be part of a git ref", r.cfg.Session)
	}
	return nil
}

func (r *Repo) chooseBranch(ctx context.Context) error {
	head, branch, err := r.Head(ctx)
	if err != nil {
		return err
	}
	if head == "" {
		return refuse("make one: `git commit --allow-empty -m start`", "%s has no commit yet", r.root)
	}
	want := strings.TrimPrefix(r.cfg.Branch, heads)
	if want == "" {
		want = branch
	}
	if want == "" {
		return refuse("give --branch, or `git switch` to a branch", "HEAD is detached in %s: there is no branch to land on", r.root)
	}
	r.ref = heads + want
	tip, err := r.BranchTip(want)
	if err == nil && tip == "" {
		return refuse("make it with `git branch "+want+"`", "%s has no branch %s", r.root, want)
	}
	return err
}

func (r *Repo) checkIsolation(ctx context.Context) error {
	switch r.cfg.Isolation {
	case Worktree:
		if m, ok := readMark(r.checkoutMark()); ok && m.session == r.cfg.Session && m.task != "" {
			return refuse("go on with --isolation none",
				"%s works on %s in the checkout itself: it was begun with isolation none", r.cfg.Session, m.task)
		}
		return nil
	case None:
	default:
		return refuse("it is worktree or none", "unknown isolation %q", r.cfg.Isolation)
	}
	if !r.checkedOut() {
		return refuse("`git switch "+r.Branch()+"`, or use --isolation worktree",
			"isolation none works in the checkout itself, and %s is not checked out in %s", r.Branch(), r.root)
	}
	if m, ok := readMark(r.checkoutMark()); ok && m.session == r.cfg.Session && m.task != "" {
		return nil // checkLeft looks at what it left
	}
	if _, err := os.Lstat(r.landingMark()); err == nil {
		return nil // Follow finishes it
	}
	return r.checkClean(ctx)
}

// checkedOut tells whether the user's checkout stands on the target branch now.
func (r *Repo) checkedOut() bool {
	head, err := os.ReadFile(filepath.Join(r.gitDir, "HEAD"))
	return err == nil && strings.TrimSpace(string(head)) == "ref: "+r.ref
}

// placeTasks finds out whether files of the tasks folder can be committed.
func (r *Repo) placeTasks(ctx context.Context) error {
	if r.cfg.TasksDir == "" {
		r.outside = true
		return nil
	}
	path, committed, err := r.TasksPath(ctx, r.cfg.TasksDir)
	if path != "." {
		r.tasks = path
	}
	r.outside = !committed
	return err
}

// TasksPath is a tasks folder's path in the repository, slash-separated, "."
// for the root, and whether progress.md and result.md can be committed there.
// It is "" for a folder outside of the repository.
func (r *Reader) TasksPath(ctx context.Context, dir string) (path string, committed bool, err error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", false, fmt.Errorf("the tasks folder: %w", err)
	}
	rel, err := filepath.Rel(r.root, real)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false, nil
	}
	path = filepath.ToSlash(rel)
	_, err = r.git.feed(ctx, strings.NewReader(path+"/TASK-00_progress.md\x00"+path+"/TASK-00_result.md\x00"),
		"check-ignore", "-q", "--stdin", "-z")
	if err != nil && !exited(err, 1) {
		return "", false, err
	}
	return path, err != nil, nil
}

// inTasks is the repository path of a file of the tasks folder.
func (r *Repo) inTasks(name string) string {
	if r.tasks == "" {
		return name
	}
	return r.tasks + "/" + name
}
