package cli

import (
	"slices"
	"strings"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/stages"
)

// behindBranch is a checkout that could not follow its branch. What is in the
// way is the user's; again is the command that goes on.
func behindBranch(way []string, again string) error {
	if lock := ".git/index.lock"; slices.Contains(way, lock) {
		return faultf(errBlocked, "the checkout is behind its branch, and %s is there: git is at work, or was killed", lock).
			then("let it end, or delete the lock if no git is at work here, then `%s`", again)
	}
	return faultf(errBlocked, "the checkout is behind its branch, and %s of yours %s in the way", strings.Join(way, ", "), areIn(len(way))).
		then("commit or move it, then `%s`", again)
}

// branchGone is a session whose branch somebody has deleted. It is not made
// again where HEAD happens to be: what has landed may not be there.
func (b *build) branchGone() error {
	events, err := b.session.Read()
	if err != nil {
		return faultf(errIntegrity, "%v", err)
	}
	var last stages.Hash
	for _, e := range events {
		switch {
		case e.Type == scheduler.TaskLanded:
			last = e.Commit
		case e.Type == scheduler.StageStarted && e.Stage == dispatch.Builder:
			last = e.Base
		}
	}
	f := faultf(errUsage, "the branch %s, which session %s lands on, is gone", b.joined, b.session.ID)
	if last == "" {
		return f.then("make it again with `git branch %s <commit>`, then `pipeline resume %s`", b.joined, b.session.ID)
	}
	return f.then("`git branch %s %s` makes it again where the session last saw it, then `pipeline resume %s`", b.joined, last.Short(), b.session.ID)
}
