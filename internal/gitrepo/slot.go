package gitrepo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/taskpipeline/pipeline/internal/crash"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

// slot is a place where one TASK at a time is built: a linked worktree, or,
// with isolation none, the checkout itself.
type slot struct {
	dir   string // its files
	admin string // its git directory
	mark  string // file that says whose it is
	git   command
	task  string // "" when free
	base  string // commit it stands on
}

func (r *Reader) pipelineDir() string  { return filepath.Join(r.common, "pipeline") }
func (r *Reader) checkoutMark() string { return filepath.Join(r.pipelineDir(), "checkout") }
func (r *Repo) checkoutIndex() string  { return filepath.Join(r.pipelineDir(), "checkout.index") }
func (r *Repo) landingIndex() string   { return filepath.Join(r.pipelineDir(), "landing.index") }
func (r *Repo) slotsDir() string       { return filepath.Join(r.pipelineDir(), "worktrees", r.cfg.Session) }

// recallSlots takes over the slots that an earlier run of the session left.
func (r *Repo) recallSlots() error {
	if r.cfg.Isolation == None {
		s := &slot{dir: r.root, admin: r.gitDir, mark: r.checkoutMark(), git: r.git}
		if m, ok := readMark(s.mark); ok && m.session == r.cfg.Session {
			s.task, s.base = m.task, m.base
		}
		r.slots = []*slot{s}
		return nil
	}
	dirs, err := filepath.Glob(filepath.Join(r.slotsDir(), "slot-*"))
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		s, err := slotAt(dir)
		if err != nil {
			continue // half made; its number is not given out again
		}
		if m, ok := readMark(s.mark); ok && m.session == r.cfg.Session {
			s.task, s.base = m.task, m.base
			r.slots = append(r.slots, s)
		}
	}
	return nil
}

// slotAt is the slot of a linked worktree. It has an index of its own: what an
// agent does to the one that git uses there, such as telling it not to look at
// a file, hides nothing.
func slotAt(dir string) (*slot, error) {
	admin, err := adminDir(dir)
	if err != nil {
		return nil, err
	}
	s := &slot{dir: dir, admin: admin, mark: filepath.Join(admin, "pipeline")}
	s.git = command{dir: dir}.with("GIT_INDEX_FILE=" + s.index())
	return s, nil
}

func (s *slot) index() string { return filepath.Join(s.admin, "pipeline.index") }

// lendIndex gives whoever works in the slot an index as it should be.
func (s *slot) lendIndex() error {
	return copyFile(s.index(), filepath.Join(s.admin, "index"))
}

// adminDir reads where the git directory of a linked worktree lies.
func adminDir(dir string) (string, error) {
	info, err := os.Lstat(filepath.Join(dir, ".git"))
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a linked worktree", dir)
	}
	b, err := os.ReadFile(filepath.Join(dir, ".git"))
	if err != nil {
		return "", err
	}
	admin, ok := strings.CutPrefix(strings.TrimSpace(string(b)), "gitdir: ")
	if !ok {
		return "", fmt.Errorf("%s is not a linked worktree", dir)
	}
	return filepath.FromSlash(admin), nil
}

// intact tells whether a slot is still the place that was made, and on record
// as its TASK's.
func (r *Repo) intact(s *slot) error { return r.intactFor(s, s.task) }

func (r *Repo) intactFor(s *slot, task string) error {
	if r.cfg.Isolation != None {
		admin, err := adminDir(s.dir)
		if err != nil || admin != s.admin {
			return lost("the workspace of %s is gone or is not the one that was made: %s", s.task, s.dir)
		}
	}
	if m, ok := readMark(s.mark); !ok || m.session != r.cfg.Session || m.task != task {
		return lost("the workspace %s does not belong to %s any more", s.dir, s.task)
	}
	return nil
}

// Intact is a *Fault if the workspace that a TASK was given is gone, or is not
// the one that was made.
func (r *Repo) Intact(task tasks.ID) error {
	s := r.held(string(task))
	if s == nil {
		return lost("the workspace of %s is gone", task)
	}
	return r.intact(s)
}

// orLost is the Fault of a TASK whose worktree is not there any more, else err:
// another TASK's agent may have deleted it at any moment.
func (r *Repo) orLost(task string, err error) error {
	s := r.held(task)
	if s == nil || r.cfg.Isolation == None {
		return err
	}
	if _, gone := adminDir(s.dir); gone == nil {
		return err
	}
	return lost("the workspace of %s is gone: %s", task, s.dir)
}

// held is the slot that a TASK has, nil if it has none.
func (r *Repo) held(task string) *slot {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.slots {
		if s.task == task {
			return s
		}
	}
	return nil
}

// take gives a TASK a slot: its own, a free one, or a new one.
func (r *Repo) take(ctx context.Context, task string) (*slot, error) {
	if s := r.held(task); s != nil {
		if r.intact(s) == nil {
			return s, nil
		}
		if err := r.discard(ctx, s); err != nil {
			return nil, err
		}
	}
	r.mu.Lock()
	for _, s := range r.slots {
		if s.task == "" {
			s.task = task
			r.mu.Unlock()
			if r.cfg.Isolation == None || r.intactFor(s, "") == nil {
				return s, nil
			}
			if err := r.discard(ctx, s); err != nil {
				return nil, err
			}
			return r.take(ctx, task)
		}
	}
	r.mu.Unlock()
	if r.cfg.Isolation == None {
		return r.slots[0], r.handOver(ctx, r.slots[0], task)
	}
	return r.addSlot(ctx, task)
}

// addSlot makes a linked worktree without files in it.
func (r *Repo) addSlot(ctx context.Context, task string) (*slot, error) {
	r.adding.Lock()
	defer r.adding.Unlock()
	tip, err := r.Tip(ctx)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(r.slotsDir(), 0o755); err != nil {
		return nil, err
	}
	dir := r.freeDir()
	crash.At("before worktree add")
	if _, err := r.git.run(ctx, "worktree", "add", "-f", "--detach", "--no-checkout", dir, string(tip)); err != nil {
		return nil, err
	}
	crash.At("after worktree add")
	s, err := slotAt(dir)
	if err != nil {
		return nil, err
	}
	s.task = task
	if err := (mark{session: r.cfg.Session, task: task}).write(s.mark); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.slots = append(r.slots, s)
	return s, nil
}

// freeDir is a place where no slot is, and none that has vanished was.
func (r *Repo) freeDir() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	for n := 1; ; n++ {
		dir := filepath.Join(r.slotsDir(), "slot-"+strconv.Itoa(n))
		taken := slices.ContainsFunc(r.slots, func(s *slot) bool { return s.dir == dir })
		if _, err := os.Lstat(dir); !taken && os.IsNotExist(err) {
			return dir
		}
	}
}

// discard removes a slot's worktree for good, and only then gives up its place.
func (r *Repo) discard(ctx context.Context, s *slot) error {
	r.adding.Lock()
	defer r.adding.Unlock()
	if err := r.removeWorktree(ctx, s.dir); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.slots = slices.DeleteFunc(slices.Clone(r.slots), func(other *slot) bool { return other == s })
	return nil
}

// Close ends the use of a TASK's workspace. With keep it stays as it is, for
// people and for Keep; else its slot goes to the next TASK.
func (r *Repo) Close(_ context.Context, task tasks.ID, keep bool) error {
	s := r.held(string(task))
	if s == nil || keep {
		return nil
	}
	defer crash.Around("workspace close")()
	_ = os.Remove(r.diffFile(s.task))
	err := mark{session: r.cfg.Session, base: s.base}.write(s.mark)
	if os.IsNotExist(err) {
		err = nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s.task = ""
	return err
}

// Release ends the use of a Repo: it removes the worktrees that no TASK holds
// and stops the git process that moves refs.
func (r *Repo) Release(ctx context.Context) error {
	defer crash.Around("release")()
	if err := r.refs.stop(); err != nil {
		return fmt.Errorf("git update-ref in %s: %w", r.root, err)
	}
	for _, index := range []string{r.landingIndex(), r.checkoutIndex()} {
		_ = os.Remove(index) // of a run that was killed
	}
	if r.cfg.Isolation == None {
		if r.slots[0].task == "" {
			return forget(r.checkoutMark())
		}
		return nil
	}
	r.mu.Lock()
	free := slices.DeleteFunc(slices.Clone(r.slots), func(s *slot) bool { return s.task != "" })
	r.mu.Unlock()
	for _, s := range free {
		if err := r.discard(ctx, s); err != nil {
			return err
		}
	}
	_ = os.Remove(r.slotsDir()) // only if nothing is left in it
	return nil
}

func ignoreMissing(err error) error {
	if os.IsNotExist(err) {
		return nil
	}
	return err
}

// lost is the Fault of a workspace that cannot be gone on with.
func lost(format string, a ...any) *stages.Fault {
	return &stages.Fault{Reason: fmt.Sprintf(format, a...), Lost: true}
}
