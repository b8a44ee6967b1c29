package cli

import (
	"io"
	"os"

	"golang.org/x/term"
)

// palette colours words for one stream; its zero value leaves them as they are.
type palette struct{ on bool }

// palette is on for a terminal whose user has not asked for plain text.
func (p *Process) palette(w io.Writer) palette {
	plain := p.getenv("NO_COLOR") != "" || p.getenv("CI") != "" || p.getenv("TERM") == "dumb"
	return palette{on: !plain && isTerminal(w)}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// width is the number of columns to draw in: the terminal's, else 80.
func (p *Process) width(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n >= 40 {
			return n
		}
	}
	return 80
}

func (c palette) red(s string) string    { return c.paint("31", s) }
func (c palette) green(s string) string  { return c.paint("32", s) }
func (c palette) yellow(s string) string { return c.paint("33", s) }
func (c palette) bold(s string) string   { return c.paint("1", s) }

func (c palette) paint(code, s string) string {
	if !c.on {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}
