package cli

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/taskpipeline/pipeline/internal/gitrepo"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

// choose finds the commits to take back, the last landed first; none if that
// was done before.
func (s *undoScope) choose(ctx context.Context, tip stages.Hash, o undoOptions) ([]gitrepo.Landed, error) {
	landed, err := s.project.repo.Landed(ctx, tip, s.folder)
	if err != nil {
		return nil, err
	}
	found, err := facts(ctx, s.project.repo, tip, "", s.folder, true)
	if err != nil {
		return nil, err
	}
	c := choice{undoScope: s, own: map[tasks.ID]bool{}, down: map[tasks.ID]bool{}}
	for _, l := range landed {
		if l.Undone == "" {
			c.hold = append(c.hold, l)
			c.take(&l)
		}
	}
	if len(c.own) == 0 {
		return nil, s.nothing(landed, found)
	}
	if err := c.follow(found, o); err != nil {
		return nil, err
	}
	slices.Reverse(c.hold)
	return c.commits()
}

// choice is what is taken back of what holds.
type choice struct {
	*undoScope
	hold []gitrepo.Landed
	own  map[tasks.ID]bool // that were asked for
	down map[tasks.ID]bool // that depend on them
}

// mine tells whether a commit was asked for.
func (s *undoScope) mine(l *gitrepo.Landed) bool {
	return (s.task == "" || l.Of(s.task)) && (s.session == "" || l.In(s.session))
}

func (c *choice) take(l *gitrepo.Landed) {
	switch {
	case !c.mine(l):
	case c.task != "":
		c.own[c.task] = true
	default:
		for _, id := range l.Tasks {
			c.own[id] = true
		}
	}
}

// follow finds the TASKs that depend on those and are done. They cannot stay.
func (c *choice) follow(found scheduler.Facts, o undoOptions) error {
	all := maps.Clone(c.own)
	downstream(c.graph, all)
	var names, adopted []string
	for t := range c.graph.All() {
		if !all[t.ID] || c.own[t.ID] {
			continue
		}
		landed := slices.ContainsFunc(c.hold, func(l gitrepo.Landed) bool { return l.Of(t.ID) })
		if _, done := found.Results[t.ID]; done && !landed {
			adopted = append(adopted, string(t.ID))
		}
		if landed {
			c.down[t.ID] = true
			names = append(names, string(t.ID))
		}
	}
	switch {
	case len(adopted) > 0:
		return faultf(errUsage, "%s depends on %s and is done, but no commit of %s says that it brought it", strings.Join(adopted, ", "), c.what(), c.branch).
			then("take it back by hand, its result.md with it, then `%s`", o.typed())
	case len(names) > 0 && !o.Downstream:
		o.Downstream, o.Yes = true, false
		return faultf(errUsage, "what landed for %s depends on %s", strings.Join(names, ", "), c.what()).then("%s", o.typed())
	}
	return nil
}

// commits are the chosen ones, if they can be told from those that stay.
func (c *choice) commits() ([]gitrepo.Landed, error) {
	var chosen []gitrepo.Landed
	stays := map[tasks.ID]gitrepo.Landed{}
	for _, l := range c.hold {
		if !c.mine(&l) && !slices.ContainsFunc(l.Tasks, func(id tasks.ID) bool { return c.down[id] }) {
			for _, id := range l.Tasks {
				stays[id] = l
			}
			continue
		}
		for _, id := range l.Tasks {
			if !c.own[id] && !c.down[id] || c.session != "" && c.mine(&l) && len(l.Sessions) > 1 {
				return nil, faultf(errUsage, "%s came in one commit, %s, with what was not asked for: %s of %s", c.what(), l.Commit.Short(), id, strings.Join(l.Sessions, ", ")).
					then("git revert %s takes all of it back", l.Commit.Short())
			}
			if later, ok := stays[id]; ok {
				return nil, faultf(errUsage, "%s landed again later, in %s of session %s", id, later.Commit.Short(), strings.Join(later.Sessions, ", ")).
					then("pipeline undo %s", id)
			}
		}
		chosen = append(chosen, l)
	}
	return chosen, nil
}

// nothing says why there is nothing to take back: no error if that was done.
func (s *undoScope) nothing(landed []gitrepo.Landed, found scheduler.Facts) error {
	if slices.ContainsFunc(landed, func(l gitrepo.Landed) bool { return s.mine(&l) }) {
		return nil
	}
	if _, done := found.Results[s.task]; done {
		return faultf(errUsage, "%s is done on %s, but no commit there says that it brought it", s.task, s.branch).
			then("git log %s -- '*%s'", s.branch, s.task.ResultFile())
	}
	f := faultf(errNothing, "nothing of %s has landed on %s", s.what(), s.branch)
	if id := s.elsewhere(); id != "" && s.task != "" && s.session == "" {
		return f.then("pipeline undo %s --session %s", s.task, id)
	}
	return f.then("pipeline sessions")
}
