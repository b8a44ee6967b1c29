package view

import (
	"bytes"
	"io"
)

// maxHeld bounds what Printable holds back of a line that does not end.
const maxHeld = 64 << 10

// Printable passes on what a program printed, a line at a time, without what
// could steer a terminal. A line that never ends comes in parts; Close passes on
// one that has no end.
func Printable(w io.Writer) io.WriteCloser { return &printable{w: w} }

type printable struct {
	w    io.Writer
	held []byte
}

func (p *printable) Write(b []byte) (int, error) {
	p.held = append(p.held, b...)
	end := bytes.LastIndexByte(p.held, '\n') + 1
	if end == 0 && len(p.held) > maxHeld {
		end = len(p.held)
	}
	if end == 0 {
		return len(b), nil
	}
	text := bytes.ReplaceAll(p.held[:end], []byte("\r\n"), []byte("\n"))
	_, err := io.WriteString(p.w, unsteered(sequences.ReplaceAllString(string(text), "")))
	p.held = append(p.held[:0], p.held[end:]...)
	return len(b), err
}

func (p *printable) Close() error {
	_, err := io.WriteString(p.w, unsteered(sequences.ReplaceAllString(string(p.held), "")))
	p.held = nil
	return err
}
