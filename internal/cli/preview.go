package cli

import (
	"context"

	"github.com/taskpipeline/pipeline/internal/config"
	"github.com/taskpipeline/pipeline/internal/view"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/stages"
)

// preview is a run that will not happen: what it would find, and the record as
// it would stand once it had begun.
type preview struct {
	*build
	tip    stages.Hash
	events []scheduler.Event
}

// preview looks at everything that a run would look at, and writes nothing.
func (p *Process) preview(ctx context.Context, o runOptions) (*preview, error) {
	b, err := p.find(ctx, o)
	if err != nil {
		return nil, err
	}
	v := &preview{build: b}
	if v.tip, err = b.look(ctx); err != nil {
		return nil, err
	}
	if b.session != nil {
		if b.past, err = b.session.Read(); err != nil {
			return nil, faultf(errIntegrity, "%v", err)
		}
	}
	r := &scheduler.Runner{Past: b.past, Facts: b.facts, Select: b.sel, Opening: b.opening()}
	if v.events, err = r.Preview(b.folder.Graph); err != nil {
		return nil, faultf(errIntegrity, "%v", err)
	}
	b.record, err = view.Fold(b.folder.Graph, v.events)
	return v, err
}

// planOptions are what `plan` goes by.
type planOptions struct {
	chosen
	Flags  []config.Flag
	KeepOn bool
	JSON   bool
}

func runPlan(ctx context.Context, p *Process, o planOptions) error {
	v, err := p.preview(ctx, runOptions{chosen: o.chosen, Flags: o.Flags, KeepOn: o.KeepOn})
	if err != nil {
		return err
	}
	f, err := view.Predict(v.folder.Graph, v.events, v.folder.Config.Jobs, v.tip)
	if err != nil {
		return err
	}
	if o.JSON {
		return view.JSON(p.Stdout, f)
	}
	if err := f.Text(p.Stdout, p.style(p.Stdout)); err != nil {
		return err
	}
	return v.unperformable()
}

// unperformable is a fault if a TASK that would run has nobody to build or
// verify it.
func (v *preview) unperformable() error {
	var lines []string
	for _, problem := range v.p.unperformable(v.folder) {
		for t := range v.folder.Graph.All() {
			s := v.record.Plan.State(t.ID).State
			if t.File == problem.File && (s == scheduler.Pending || s == scheduler.Running || s == scheduler.Waiting) {
				lines = append(lines, v.folder.line(problem))
			}
		}
	}
	if len(lines) == 0 {
		return nil
	}
	bad := faultf(errUsage, "%s", lines[0]).then("pipeline validate %s", v.folder.Name)
	bad.more = lines[1:]
	return bad
}
