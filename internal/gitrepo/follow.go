package gitrepo

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taskpipeline/pipeline/internal/crash"
	"github.com/taskpipeline/pipeline/stages"
)

// Follow finishes, at the start of a run, what a killed or blocked landing left
// to do: files of the checkout behind the branch, and files to be copied to
// the tasks folder. The paths it returns are in the way; none means done.
func (r *Repo) Follow(ctx context.Context) ([]string, error) {
	r.land.Lock()
	defer r.land.Unlock()
	paths, err := r.catchUp(ctx, true)
	if err != nil {
		return nil, err
	}
	return paths, r.deliverLanded(ctx)
}

// catchUp brings files and index of the checkout to the tip, if they are behind.
// They stay behind if it returns paths that are in the way.
func (r *Repo) catchUp(ctx context.Context, killed bool) (way []string, _ error) {
	m, ok := r.announced()
	if !ok {
		return nil, nil
	}
	tip, err := r.Tip(ctx)
	if err != nil {
		return nil, err
	}
	switch {
	case tip == m.from || !r.checkedOut():
		return nil, r.forgetLanding()
	case tip != m.at && tip != m.to:
		r.log.Warn("the branch was moved by somebody else while the checkout was behind; its files are left alone",
			"branch", r.Branch(), "from", string(m.from), "tip", string(tip))
		return nil, r.forgetLanding()
	}
	if killed {
		if err := r.breakLock(ctx); err != nil {
			return nil, err
		}
		if err := r.renewLanding(); err != nil {
			return nil, err
		}
	}
	for try := 0; ; try++ {
		way, err = r.follow(ctx, m.from, tip, killed)
		if err == nil || !locked(err) || try+1 == tries {
			break
		}
		if err := pause(ctx, try); err != nil {
			return nil, err
		}
	}
	switch {
	case locked(err):
		return []string{".git/index.lock"}, r.renewLanding()
	case err != nil:
		return nil, err
	case len(way) > 0:
		return way, nil
	}
	return nil, r.forgetLanding()
}

// tryFollow asks whether the checkout could go from one commit to the next,
// and changes nothing. The paths are those in the way.
func (r *Repo) tryFollow(ctx context.Context, from, to stages.Hash) ([]string, error) {
	deltas, err := r.deltas(from, to)
	if err != nil {
		return nil, err
	}
	if gone := r.deletedByUser(deltas); len(gone) > 0 {
		return gone, nil
	}
	if r.cfg.Isolation != None && !r.anyCreatedExists(deltas) {
		_, err := r.git.run(ctx, "read-tree", "-m", "-u", "--dry-run", string(from), string(to))
		if err == nil || locked(err) || complaint(err) == "" {
			return nil, err
		}
	}
	adopt, way, err := r.compare(ctx, deltas, false)
	if err != nil || len(way) > 0 {
		return way, err
	}
	index := r.landingIndex()
	if err := copyFile(filepath.Join(r.gitDir, "index"), index); err != nil {
		return nil, err
	}
	defer os.Remove(index)
	git := r.git.with("GIT_INDEX_FILE=" + index)
	crash.At("before landing index")
	if err := adoptInto(ctx, git, adopt); err != nil {
		return nil, err
	}
	if err := refresh(ctx, git); err != nil {
		return nil, err
	}
	_, err = git.run(ctx, "read-tree", "-m", "-u", "--dry-run", string(from), string(to))
	return r.inTheWay(ctx, deltas, err)
}

// follow moves index and files of the checkout from one commit to the next.
func (r *Repo) follow(ctx context.Context, from, to stages.Hash, killed bool) ([]string, error) {
	defer crash.Around("follow")()
	deltas, err := r.deltas(from, to)
	if err != nil {
		return nil, err
	}
	if killed || r.cfg.Isolation == None || r.anyCreatedExists(deltas) {
		adopt, way, err := r.compare(ctx, deltas, killed)
		if err != nil || len(way) > 0 {
			return way, err
		}
		if err := adoptInto(ctx, r.git, adopt); err != nil {
			return nil, err
		}
	}
	crash.At("before checkout read-tree")
	_, err = r.git.run(ctx, "read-tree", "-m", "-u", string(from), string(to))
	crash.At("after checkout read-tree")
	if complaint(err) != "" && !locked(err) {
		if err := refresh(ctx, r.git); err != nil {
			return nil, err
		}
		_, err = r.git.run(ctx, "read-tree", "-m", "-u", string(from), string(to))
	}
	return r.inTheWay(ctx, deltas, err)
}

// refresh has git look again at files of which only the times changed;
// read-tree takes those for edited.
func refresh(ctx context.Context, git command) error {
	_, err := git.run(ctx, "update-index", "-q", "--refresh")
	if exited(err, 1) { // there are edited files, too
		return nil
	}
	return err
}

// adoptInto tells an index that paths are at their new content already, so
// that git neither compares nor writes their files.
func adoptInto(ctx context.Context, git command, adopt []delta) error {
	if len(adopt) == 0 {
		return nil
	}
	var b bytes.Buffer
	for _, d := range adopt {
		fmt.Fprintf(&b, "%o %s\t%s\x00", d.new.mode, d.new.hash, d.path)
	}
	_, err := git.feed(ctx, &b, "update-index", "--add", "--replace", "-z", "--index-info")
	return err
}

// inTheWay turns git's refusal to lose something into the paths it is about.
func (r *Repo) inTheWay(ctx context.Context, deltas []delta, refusal error) ([]string, error) {
	if refusal == nil || locked(refusal) || complaint(refusal) == "" {
		return nil, refusal
	}
	if _, way, err := r.compare(ctx, deltas, false); err != nil || len(way) > 0 {
		return way, err
	}
	// The files are as they should be: something else is staged.
	out, err := r.git.run(ctx, "status", "--porcelain=v2", "-z", "-uall", "--no-renames")
	if err != nil {
		return nil, err
	}
	found, err := parseStatus(out)
	if err != nil {
		return nil, err
	}
	var dirt []delta
	for _, f := range found.files {
		dirt = append(dirt, delta{path: f.path})
	}
	way := meet(dirt, deltas)
	if len(way) == 0 {
		return nil, refusal
	}
	slices.Sort(way)
	return slices.Compact(way), nil
}

func copyFile(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o644)
}

// below tells whether path lies inside dir.
func below(path, dir string) bool { return strings.HasPrefix(path, dir+"/") }
