package gitrepo

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/taskpipeline/pipeline/internal/crash"
	"github.com/taskpipeline/pipeline/stages"
)

// Candidate writes the commit of one TASK and keeps it at
// refs/pipeline/<session>/<TASK>. No index is read and no file looked at, so
// its cost depends on the change alone. The same input gives the same hash.
func (r *Repo) Candidate(ctx context.Context, c stages.Candidate) (stages.Hash, error) {
	h, err := r.candidate(ctx, c)
	if err != nil {
		return "", fmt.Errorf("candidate of %s: %w", c.Task, err)
	}
	return stages.Hash(h.String()), nil
}

func (r *Repo) candidate(ctx context.Context, c stages.Candidate) (plumbing.Hash, error) {
	defer crash.Around("candidate")()
	if err := r.keepOutside(c); err != nil {
		return plumbing.ZeroHash, err
	}
	tree, err := r.candidateTree(c)
	if err != nil {
		return tree, err
	}
	commit := &object.Commit{
		Author:       at(r.ident.author, c.Time),
		Committer:    at(r.ident.committer, c.Time),
		Message:      cleanMessage(c.Message),
		TreeHash:     tree,
		ParentHashes: []plumbing.Hash{plumbing.NewHash(string(c.Parent))},
	}
	ref := candidateRef(r.cfg.Session, string(c.Task))
	kept, has, err := r.objects.ref(ref)
	if err != nil {
		return kept, err
	}
	h, err := r.writeCommit(ctx, commit, kept)
	if err != nil || has && kept == h {
		return h, err
	}
	defer crash.Around("candidate ref")()
	return h, r.refs.move(ref, h.String(), "")
}

// candidateTree is the verified tree with the files that the committer adds.
func (r *Repo) candidateTree(c stages.Candidate) (plumbing.Hash, error) {
	edits := make(map[string]leaf, len(c.Files))
	for path, content := range c.Files {
		h, err := r.objects.put(plumbing.BlobObject, content)
		if err != nil {
			return h, err
		}
		edits[path] = leaf{mode: modeFile, hash: h}
	}
	return r.objects.edit(plumbing.NewHash(string(c.Tree)), edits)
}

// writeCommit writes a commit object; kept is the candidate that is there already.
func (r *Repo) writeCommit(ctx context.Context, c *object.Commit, kept plumbing.Hash) (plumbing.Hash, error) {
	if r.settings.on("commit.gpgsign", false) {
		// A signature holds the time it was made: the one that is there counts.
		if old, err := r.objects.commit(kept); err == nil && sameCommit(old, c) {
			return kept, nil
		}
		return r.signCommit(ctx, c)
	}
	return r.writeUnsigned(c)
}

// writeUnsigned writes a commit object as it is.
func (r *Repo) writeUnsigned(c *object.Commit) (plumbing.Hash, error) {
	obj := &plumbing.MemoryObject{}
	if err := c.Encode(obj); err != nil {
		return plumbing.ZeroHash, err
	}
	var b bytes.Buffer
	rd, err := obj.Reader()
	if err != nil {
		return plumbing.ZeroHash, err
	}
	if _, err := b.ReadFrom(rd); err != nil {
		return plumbing.ZeroHash, err
	}
	return r.objects.put(plumbing.CommitObject, b.Bytes())
}

// signCommit has git make and sign the commit, as commit.gpgsign asks.
func (r *Repo) signCommit(ctx context.Context, c *object.Commit) (plumbing.Hash, error) {
	date := func(t time.Time) string { return fmt.Sprintf("%d +0000", t.Unix()) }
	git := r.git.with(
		"GIT_AUTHOR_NAME="+c.Author.Name, "GIT_AUTHOR_EMAIL="+c.Author.Email, "GIT_AUTHOR_DATE="+date(c.Author.When),
		"GIT_COMMITTER_NAME="+c.Committer.Name, "GIT_COMMITTER_EMAIL="+c.Committer.Email, "GIT_COMMITTER_DATE="+date(c.Committer.When))
	out, err := git.feed(ctx, strings.NewReader(c.Message), "commit-tree", "-S", "-p", c.ParentHashes[0].String(), c.TreeHash.String())
	if err != nil {
		return plumbing.ZeroHash, fmt.Errorf("signing, as commit.gpgsign asks: %w", err)
	}
	return plumbing.NewHash(strings.TrimSpace(string(out))), nil
}

func sameCommit(a, b *object.Commit) bool {
	return a.TreeHash == b.TreeHash && len(a.ParentHashes) == 1 && a.ParentHashes[0] == b.ParentHashes[0] &&
		a.Message == b.Message && a.Author.String() == b.Author.String() && a.Author.When.Equal(b.Author.When)
}

// cleanMessage makes a message that git takes: UTF-8, no NUL, one newline at the end.
func cleanMessage(s string) string {
	s = strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "\uFFFD")
	return strings.TrimRight(s, "\n") + "\n"
}
