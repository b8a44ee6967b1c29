package command

import (
	"io"
	"sync"
)

// live is the one writer to which both streams of a process go as they arrive.
type live struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *live) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// and is the writer of one stream, which also goes to w.
func (l *live) and(w io.Writer) io.Writer { return io.MultiWriter(w, l) }
