package cli

import (
	"fmt"
	"strings"

	"github.com/taskpipeline/pipeline/internal/gitrepo"
	"github.com/taskpipeline/pipeline/internal/view"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

// undone is what an undo did, or would do.
type undone struct {
	branch   string
	from, to stages.Hash
	commits  []gitrepo.Reverted
}

// undoDoc is that as JSON.
type undoDoc struct {
	Branch  string       `json:"branch"`
	Done    bool         `json:"done"` // false: this is what --yes would do
	From    stages.Hash  `json:"from"`
	To      stages.Hash  `json:"to"` // not done: the commit that would be there
	Commits []undoneTask `json:"commits"`
}

// undoneTask is one commit that is taken back.
type undoneTask struct {
	Tasks    []tasks.ID  `json:"tasks"`
	Sessions []string    `json:"sessions"`
	Commit   stages.Hash `json:"commit"`
	By       stages.Hash `json:"by"`
	Subject  string      `json:"subject"`
	Merged   []string    `json:"merged,omitempty"` // paths that later commits changed too
}

// showUndo prints what an undo did, the last landed first.
func (p *Process) showUndo(u undone, o undoOptions) error {
	if o.JSON {
		doc := undoDoc{Branch: u.branch, Done: o.Yes, From: u.from, To: u.to, Commits: []undoneTask{}}
		for _, c := range u.commits {
			doc.Commits = append(doc.Commits, undoneTask{c.Tasks, c.Sessions, c.Commit, c.By, c.Subject, c.Merged})
		}
		return p.printJSON(doc)
	}
	if len(u.commits) == 0 {
		_, err := fmt.Fprintf(p.Stdout, "nothing to undo on %s: it was taken back before\n", u.branch)
		return err
	}
	for _, c := range u.commits {
		line := fmt.Sprintf("%s would be undone: %s %s", c.Names(), c.Commit.Short(), c.Subject)
		if o.Yes {
			line = fmt.Sprintf("%s undone %s: %s %s", c.Names(), c.By.Short(), c.Commit.Short(), c.Subject)
		}
		if len(c.Merged) > 0 {
			line += "; merged: " + strings.Join(c.Merged, ", ")
		}
		if _, err := fmt.Fprintln(p.Stdout, view.Plain(line)); err != nil {
			return err
		}
	}
	next := "pipeline plan"
	if !o.Yes {
		o.Yes = true
		next = o.typed()
	}
	_, err := fmt.Fprintf(p.Stderr, "next: %s\n", next)
	return err
}
