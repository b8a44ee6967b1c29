package gitrepo

import (
	"cmp"
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

// Reverted is a landed commit with the one, By, that takes it back.
type Reverted struct {
	Landed
	By     stages.Hash
	Merged []string // paths that later commits changed too, and that git merged
}

// RevertError is a landed commit that cannot be taken back by itself: later
// changes stand on it.
type RevertError struct {
	Landed
	With  string // a TASK, or a short commit hash, which touched one of the paths last
	Paths []string
}

func (e *RevertError) Error() string {
	return fmt.Sprintf("%s cannot be taken back: %s changed what it had brought: %s", e.Names(), e.With, strings.Join(e.Paths, ", "))
}

// Revert makes, on top of a commit, one commit for each landed one of which
// something is left, in that order, which takes it back. They are objects that
// nothing points at: Advance moves the branch to the last of them, tip. The error
// is a *RevertError where one does not come off.
func (r *Repo) Revert(ctx context.Context, onto stages.Hash, landed []Landed, now time.Time) (tip stages.Hash, done []Reverted, _ error) {
	tip = onto
	for _, l := range landed {
		if len(l.Parents) != 1 {
			return "", nil, refuse("take it back with `git revert -m 1 "+l.Commit.Short()+"`",
				"%s came with the commit %s, which has %d parents: what it changed cannot be told", l.Names(), l.Commit.Short(), len(l.Parents))
		}
		tree, merged, err := r.without(ctx, tip, l)
		if stuck := (*RevertError)(nil); errors.As(err, &stuck) {
			stuck.With, err = r.standsOnIt(ctx, l, onto, stuck.Paths, landed)
			err = cmp.Or[error](err, stuck)
		}
		if err != nil {
			return "", nil, err
		}
		before, err := r.objects.treeOf(tip)
		if err != nil {
			return "", nil, err
		}
		if before == tree {
			continue // nothing of it was left
		}
		h, err := r.writeCommit(ctx, &object.Commit{
			Author:       at(r.ident.author, now),
			Committer:    at(r.ident.committer, now),
			Message:      cleanMessage(l.undoing()),
			TreeHash:     tree,
			ParentHashes: []plumbing.Hash{plumbing.NewHash(string(tip))},
		}, plumbing.ZeroHash)
		if err != nil {
			return "", nil, err
		}
		tip = stages.Hash(h.String())
		done = append(done, Reverted{Landed: l, By: tip, Merged: merged})
	}
	return tip, done, nil
}

// without is the tree of a commit without what a landed one changed. merged are
// the paths that git had to merge.
func (r *Repo) without(ctx context.Context, onto stages.Hash, l Landed) (tree plumbing.Hash, merged []string, _ error) {
	back, err := r.deltas(l.Commit, l.Parents[0])
	if err != nil {
		return tree, nil, err
	}
	since, err := r.deltas(l.Commit, onto)
	if err != nil {
		return tree, nil, err
	}
	if merged = meet(back, since); len(merged) == 0 {
		if tree, err = r.objects.treeOf(onto); err == nil {
			tree, err = r.objects.overlay(tree, back)
		}
		return tree, nil, err
	}
	before, err := r.objects.treeOf(l.Parents[0])
	if err != nil {
		return tree, nil, err
	}
	clean, paths, err := r.mergeTexts(ctx, l.Commit, before, onto)
	if err != nil {
		return tree, nil, err
	}
	if clean == "" {
		return tree, nil, &RevertError{Landed: l, Paths: paths}
	}
	return plumbing.NewHash(string(clean)), merged, nil
}

// standsOnIt names what of a branch changed paths of a landed commit after it. One
// that is taken back, too, is not what is in the way.
func (r *Repo) standsOnIt(ctx context.Context, l Landed, tip stages.Hash, paths []string, back []Landed) (string, error) {
	with, err := r.whoTouched(ctx, l.Commit, tip, paths)
	id, _ := tasks.ParseID(with)
	if slices.ContainsFunc(back, func(b Landed) bool { return b.Of(id) }) {
		with = "a later commit"
	}
	return with, err
}

// undoing is the message of the commit that takes a landed one back.
func (l *Landed) undoing() string {
	const most = 200 // characters of a first line
	title := l.Subject
	if _, rest, ok := strings.Cut(title, "("+l.Names()+"): "); ok {
		title = rest
	}
	subject := fmt.Sprintf("revert(%s): %s", l.Names(), title)
	if runes := []rune(subject); len(runes) > most {
		subject = string(runes[:most-1]) + "…"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nThis reverts commit %s.\n\n", subject, l.Commit)
	for _, id := range l.Tasks {
		fmt.Fprintf(&b, "Pipeline-Undo: %s\n", id)
	}
	for _, session := range l.Sessions {
		fmt.Fprintf(&b, "Pipeline-Session: %s\n", session)
	}
	return b.String()
}
