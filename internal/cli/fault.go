package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/taskpipeline/pipeline/internal/view"
)

// fault is an error as people see it: what is wrong, of which kind (one of the
// errors that exitCode knows), and the command to type next.
type fault struct {
	kind error
	text string
	next string // a command or a short sentence; "" when text says it all
}

// Error is the text alone; the next command is printed on a line of its own.
func (f *fault) Error() string { return f.text }

// Unwrap is the kind, by which the exit code is chosen.
func (f *fault) Unwrap() error { return f.kind }

// faultf makes a fault of a kind.
func faultf(kind error, format string, a ...any) *fault {
	return &fault{kind: kind, text: fmt.Sprintf(format, a...)}
}

// then says what to type next.
func (f *fault) then(format string, a ...any) *fault {
	f.next = fmt.Sprintf(format, a...)
	return f
}

// report prints an error, once, with the next command below it. Only colour
// depends on the terminal.
func report(w io.Writer, paint palette, err error) {
	fmt.Fprintf(w, "%s %s\n", paint.red("pipeline:"), view.Plain(err.Error()))
	var f *fault
	if errors.As(err, &f) && f.next != "" {
		fmt.Fprintf(w, "  next: %s\n", paint.bold(view.Plain(f.next)))
	}
}
