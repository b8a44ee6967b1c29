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
	more []string // what is wrong besides, one line each
	next string   // a command or a short sentence; "" when text says it all
}

// Error is the text alone; the rest is printed on lines of its own.
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

// mostLines bounds what is told of one fault: beyond, nobody reads.
const mostLines = 20

// report prints an error, once, with the next command below it. Only colour
// depends on the terminal.
func report(w io.Writer, paint palette, err error) {
	line := func(text string) { fmt.Fprintf(w, "%s %s\n", paint.red("pipeline:"), view.Plain(text)) }
	line(err.Error())
	var f *fault
	if !errors.As(err, &f) {
		return
	}
	for i, text := range f.more {
		if i == mostLines {
			line(fmt.Sprintf("and %d more", len(f.more)-i))
			break
		}
		line(text)
	}
	if f.next != "" {
		fmt.Fprintf(w, "  next: %s\n", paint.bold(view.Plain(f.next)))
	}
}
