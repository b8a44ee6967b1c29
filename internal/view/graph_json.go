package view

import (
	"encoding/json"
	"io"

	"github.com/taskpipeline/pipeline/tasks"
)

// GraphDoc is a graph as JSON: the TASKs in their stable order.
type GraphDoc struct {
	Work  string      `json:"work"`
	Title string      `json:"title,omitempty"`
	Tasks []GraphTask `json:"tasks"`
}

// GraphTask is one TASK of a GraphDoc.
type GraphTask struct {
	ID    tasks.ID   `json:"id"`
	Title string     `json:"title"`
	File  string     `json:"file"`
	Deps  []tasks.ID `json:"deps"`
	Wave  int        `json:"wave"` // from 1; TASKs of one wave could run together
}

// GraphJSON writes a graph as a GraphDoc.
func GraphJSON(w io.Writer, g *tasks.Graph) error {
	wave := waves(g)
	doc := GraphDoc{Work: g.Work(), Title: g.Title(), Tasks: make([]GraphTask, g.Len())}
	for i := range g.Len() {
		t := g.At(i)
		deps := t.Deps
		if deps == nil {
			deps = []tasks.ID{}
		}
		doc.Tasks[i] = GraphTask{ID: t.ID, Title: t.Title, File: t.File, Deps: deps, Wave: wave[i]}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(doc)
}
