package stages

import "github.com/taskpipeline/pipeline/tasks"

// Ready asks an executor, before anything runs, whether it could perform a
// stage of the TASK: is its program there, does the TASK have what it needs?
// The error says what to correct. An Executor answers by a method
// Ready(tasks.Task) error; one without it is taken to be ready.
func Ready(e Executor, task tasks.Task) error {
	if r, ok := e.(interface{ Ready(task tasks.Task) error }); ok {
		return r.Ready(task)
	}
	return nil
}

// Continues reports whether an executor that was cut off in the middle of a
// stage goes on from what lies in the workspace, as an agent does that still
// knows what it was about. An Executor says so by a method Continues() bool.
// One without it begins again from the start.
func Continues(e Executor) bool {
	c, ok := e.(interface{ Continues() bool })
	return ok && c.Continues()
}

// decorated is an Executor around another one, and answers as that one does.
type decorated struct {
	Func
	inner Executor
}

func (d decorated) Ready(task tasks.Task) error { return Ready(d.inner, task) }

func (d decorated) Continues() bool { return Continues(d.inner) }
