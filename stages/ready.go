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

// decorated is an Executor around another one, as ready as that one is.
type decorated struct {
	Func
	inner Executor
}

func (d decorated) Ready(task tasks.Task) error { return Ready(d.inner, task) }
