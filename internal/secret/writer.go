package secret

import (
	"io"
	"sync"
)

// Writer masks what is written through it, also where a secret is spread over
// several writes. It holds back no more than what may yet become a secret. It
// is safe for concurrent use.
type Writer struct {
	set *Set
	to  io.Writer

	mu      sync.Mutex
	held    []byte // the end of what was written
	covered int    // bytes of held for which a mask was written already
	odd     bool   // what was passed on ends in an odd number of backslashes
}

// Writer makes a Writer to w. Flush it at the end.
func (s *Set) Writer(w io.Writer) *Writer { return &Writer{set: s, to: w} }

// Write passes p on, as far as it cannot be the beginning of a secret.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held = append(w.held, p...)
	return len(p), w.pass(w.set.begun(w.held))
}

// Flush passes on what was held back.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pass(len(w.held))
}

// pass passes on the first bytes of what is held.
func (w *Writer) pass(n int) error {
	var out []byte
	end := w.covered
	for _, f := range w.set.spans(w.held) {
		if f.start < end {
			end = max(end, f.end)
			continue
		}
		if f.start >= n {
			break
		}
		out = w.set.appendMask(append(out, w.held[end:f.start]...), w.odd, f.name)
		end = f.end
	}
	if end < n {
		out = append(out, w.held[end:n]...)
		end = n
	}
	w.covered = end - n
	w.held = append(w.held[:0], w.held[n:]...)
	if len(out) == 0 {
		return nil
	}
	w.odd = endsOdd(out, w.odd)
	_, err := w.to.Write(out)
	return err
}

// begun is where in b a form may begin that b does not hold whole; len(b) if
// none does.
func (s *Set) begun(b []byte) int {
	if s == nil {
		return len(b)
	}
	for at := max(0, len(b)-s.longest+1); at < len(b); at++ {
		if !s.begins[b[at]] {
			continue
		}
		rest := b[at:]
		for _, f := range s.forms {
			if len(f.text) <= len(rest) {
				break // the forms grow shorter
			}
			if string(f.text[:len(rest)]) == string(rest) {
				return at
			}
		}
	}
	return len(b)
}
