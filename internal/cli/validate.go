package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/taskpipeline/pipeline/internal/view"
	"github.com/taskpipeline/pipeline/tasks"
)

type validateOptions struct {
	Dir  string
	JSON bool
}

func validateCommand(p *Process) *cobra.Command {
	var o validateOptions
	c := &cobra.Command{
		Use:   "validate [DIR]",
		Short: "Report every problem of a tasks folder, with file and line",
		Long: `Read every TASK file of a folder and report everything that is wrong at once, as
FILE:LINE:COL: MESSAGE. Errors keep a run from starting; warnings do not.
Nothing is written anywhere.

Exit code 0: sound. 2: at least one error. 4: no TASK in the folder.`,
		Example: `  pipeline validate
  pipeline validate docs/plan --json`,
		GroupID: groupLook,
		Args:    atMost(1),
		RunE: func(_ *cobra.Command, args []string) error {
			o.Dir = slices.Concat(args, []string{""})[0]
			return runValidate(p, o)
		},
	}
	c.Flags().BoolVar(&o.JSON, "json", false, "print JSON: order, tasks, problems")
	return c
}

func runValidate(p *Process, o validateOptions) error {
	f, err := p.open(o.Dir)
	if f != nil && f.Graph != nil {
		f.Problems = append(f.Problems, p.unperformable(f)...)
	}
	if o.JSON {
		if jsonErr := p.printJSON(validation(f, err)); jsonErr != nil {
			return jsonErr
		}
	}
	switch {
	case err != nil:
		return err
	case o.JSON && f.Graph == nil:
		return faultf(errUsage, "%s", f.verdict())
	case o.JSON:
		return nil
	}
	paint := p.palette(p.Stdout)
	for _, problem := range f.Problems {
		colour := paint.red
		if problem.Severity == tasks.Warning {
			colour = paint.yellow
		}
		fmt.Fprintln(p.Stdout, colour(view.Plain(f.line(problem))))
	}
	if f.Graph == nil {
		return faultf(errUsage, "%s", f.verdict())
	}
	_, err = fmt.Fprintln(p.Stdout, f.verdict())
	return err
}

// verdict sums a folder up in one line.
func (f *folder) verdict() string {
	count := map[tasks.Severity]int{}
	for _, problem := range f.Problems {
		count[problem.Severity]++
	}
	warnings := ""
	if n := count[tasks.Warning]; n > 0 {
		warnings = ", " + plural(n, "warning")
	}
	if f.Graph == nil {
		return fmt.Sprintf("%s: %s%s", f.Name, plural(count[tasks.Error], "error"), warnings)
	}
	return fmt.Sprintf("%s: %s, no errors%s", f.Name, plural(f.Graph.Len(), "TASK"), warnings)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// validationDoc is the JSON of validate.
type validationDoc struct {
	Order    []tasks.ID     `json:"order"` // the stable order; empty if there is an error
	Tasks    []validTask    `json:"tasks"`
	Problems []validProblem `json:"problems"`
}

type validTask struct {
	ID    tasks.ID   `json:"id"`
	Title string     `json:"title"`
	Deps  []tasks.ID `json:"deps"`
}

// validProblem always says where, so that a reader need not ask which keys are there.
type validProblem struct {
	File     string         `json:"file"` // relative to the folder; "" for the folder itself
	Line     int            `json:"line"` // from 1; 0 for the whole file
	Col      int            `json:"col"`  // from 1; 0 for the whole line
	Message  string         `json:"message"`
	Severity tasks.Severity `json:"severity"`
}

// validation is what is known of a folder, be it readable or not.
func validation(f *folder, err error) validationDoc {
	doc := validationDoc{Order: []tasks.ID{}, Tasks: []validTask{}, Problems: []validProblem{}}
	if f != nil {
		for _, problem := range f.Problems {
			doc.Problems = append(doc.Problems, validProblem{problem.File, problem.Line, problem.Col, problem.Message, problem.Severity})
		}
	}
	var bad *fault
	if errors.As(err, &bad) {
		for _, text := range append([]string{bad.text}, bad.more...) {
			doc.Problems = append(doc.Problems, validProblem{Message: text, Severity: tasks.Error})
		}
	}
	if f == nil || f.Graph == nil {
		return doc
	}
	for t := range f.Graph.All() {
		doc.Order = append(doc.Order, t.ID)
		doc.Tasks = append(doc.Tasks, validTask{t.ID, t.Title, append([]tasks.ID{}, t.Deps...)})
	}
	return doc
}
