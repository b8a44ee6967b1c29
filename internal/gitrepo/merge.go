package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

// overlay puts changes on a tree.
func (o *objects) overlay(tree plumbing.Hash, changes []delta) (plumbing.Hash, error) {
	edits := make(map[string]leaf, len(changes))
	for _, d := range changes {
		// A file that became a directory is two deltas; both hold.
		edits[d.path] = d.new
	}
	return o.edit(tree, edits)
}

// carried is onto with what base..from changed, but for the paths that
// base..onto changed too.
func (o *objects) carried(base, from, onto plumbing.Hash) (plumbing.Hash, error) {
	ours, err := o.diff(base, from)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	theirs, err := o.diff(base, onto)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	both := meet(ours, theirs)
	ours = slices.DeleteFunc(ours, func(d delta) bool { return slices.Contains(both, d.path) })
	return o.overlay(onto, ours)
}

// merge puts what a TASK changes on another commit than it was built on:
// `moved` with the merged tree, or `conflict`.
func (r *Repo) merge(ctx context.Context, l stages.Landing, onto stages.Hash) (stages.LandingResult, error) {
	none := stages.LandingResult{}
	ours, err := r.deltas(l.ChangeBase, l.Change)
	if err != nil {
		return none, err
	}
	theirs, err := r.deltas(l.ChangeBase, onto)
	if err != nil {
		return none, err
	}
	below, err := r.objects.treeOf(onto)
	if err != nil {
		return none, err
	}
	both := meet(ours, theirs)
	if len(both) == 0 {
		tree, err := r.objects.overlay(below, ours)
		if err != nil {
			return none, err
		}
		return r.moved(l, onto, stages.Hash(tree.String()), nil)
	}
	tree, paths, err := r.mergeTexts(ctx, l.ChangeBase, below, l.Change)
	if err != nil {
		return none, err
	}
	if tree != "" {
		return r.moved(l, onto, tree, both)
	}
	with, err := r.whoTouched(ctx, l.ChangeBase, onto, paths)
	return stages.LandingResult{Outcome: "conflict", Onto: onto, With: with, Paths: paths}, err
}

// moved says what is left of a TASK's changes on another commit: nothing, where
// somebody else has made the same. merged are the paths that git had to merge.
func (r *Repo) moved(l stages.Landing, onto, tree stages.Hash, merged []string) (stages.LandingResult, error) {
	changes, err := r.Changes(onto, tree)
	if err != nil {
		return stages.LandingResult{}, err
	}
	own := r.paths(l.Task)
	changes = slices.DeleteFunc(changes, func(c stages.Change) bool { return c.Path == own.ProgressPath || c.Path == own.ResultPath })
	task := string(l.Task)
	if err := errors.Join(r.pin(task, pinTree, tree), r.pin(task, pinChange, l.Change)); err != nil {
		return stages.LandingResult{}, err
	}
	return stages.LandingResult{Outcome: "moved", Onto: onto, Tree: tree, Changes: changes, Paths: merged}, nil
}

// mergeTexts has git merge, without any files, what a tree and a commit have
// each changed since base, from which the commit comes; tree is "" when paths
// are in conflict.
func (r *Repo) mergeTexts(ctx context.Context, base stages.Hash, ours plumbing.Hash, b stages.Hash) (tree stages.Hash, paths []string, _ error) {
	// git merges commits, and looks for their base itself: this one has it for a parent.
	made, err := r.writeUnsigned(&object.Commit{
		Author: at(r.ident.author, time.Unix(0, 0)), Committer: at(r.ident.committer, time.Unix(0, 0)),
		Message: "ours\n", TreeHash: ours, ParentHashes: []plumbing.Hash{plumbing.NewHash(string(base))},
	})
	if err != nil {
		return "", nil, err
	}
	a := stages.Hash(made.String())
	out, err := r.git.run(ctx, "merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", string(a), string(b))
	if err != nil && !exited(err, 1) {
		return "", nil, err
	}
	items := strings.Split(strings.Trim(string(out), "\x00"), "\x00")
	if err == nil {
		return stages.Hash(items[0]), nil, nil
	}
	paths = slices.Compact(slices.Sorted(slices.Values(items[1:])))
	if len(paths) == 0 {
		return "", nil, fmt.Errorf("git merge-tree of %s and %s found a conflict and named no path", a.Short(), b.Short())
	}
	return "", paths, nil
}

// whoTouched names the newest commit of base..tip that touched one of the
// paths: the TASK it says it is of, else its short hash.
func (r *Repo) whoTouched(ctx context.Context, base, tip stages.Hash, paths []string) (string, error) {
	const most = 1000 // an argument list has an end
	args := append([]string{"log", "-1", "--no-show-signature", "--format=%H %(trailers:key=Pipeline-Task,valueonly,separator=%x20)",
		string(base) + ".." + string(tip), "--"}, paths[:min(len(paths), most)]...)
	said, err := r.git.with("GIT_LITERAL_PATHSPECS=1").line(ctx, args...)
	if err != nil {
		return "", err
	}
	hash, task, _ := strings.Cut(said, " ")
	if hash == "" {
		hash = string(tip)
	}
	if id, ok := tasks.ParseID(strings.TrimSpace(task)); ok { // anybody may have written the trailer
		return string(id), nil
	}
	return stages.Hash(hash).Short(), nil
}
