package proc

import (
	"fmt"
	"slices"
)

// Capture is a writer that keeps the first and the last part of what is
// written to it, Limit bytes in all. What lies between is dropped and counted.
// Memory stays below twice Limit whatever is written. The zero value keeps nothing.
//
// It is not safe for concurrent use.
type Capture struct {
	Limit int

	buf   []byte // the head, then a ring holding the tail
	next  int    // where in the ring the next byte goes, once buf is full
	total int64
}

// Write never fails.
func (c *Capture) Write(p []byte) (int, error) {
	n := len(p)
	c.total += int64(n)
	room := min(c.Limit-len(c.buf), n)
	c.buf = append(c.buf, p[:room]...)
	p = p[room:]
	if len(p) == 0 || c.Limit == 0 {
		return n, nil
	}
	ring := c.buf[c.head():]
	if len(p) > len(ring) {
		c.next = (c.next + len(p) - len(ring)) % len(ring)
		p = p[len(p)-len(ring):]
	}
	first := copy(ring[c.next:], p)
	copy(ring, p[first:])
	c.next = (c.next + len(p)) % len(ring)
	return n, nil
}

// Total is the number of bytes written so far.
func (c *Capture) Total() int64 { return c.total }

// Bytes is what was kept. If something was dropped, a line between the two
// parts says how much. The slice is valid until the next Write.
func (c *Capture) Bytes() []byte {
	dropped := c.total - int64(len(c.buf))
	if dropped == 0 {
		return c.buf
	}
	ring := c.buf[c.head():]
	slices.Reverse(ring[:c.next])
	slices.Reverse(ring[c.next:])
	slices.Reverse(ring)
	c.next = 0
	mark := c.mark(dropped)
	mark = c.mark(dropped + int64(len(mark)))
	copy(ring, mark)
	return c.buf
}

func (c *Capture) mark(dropped int64) string {
	return fmt.Sprintf("\n[... %d bytes left out ...]\n", dropped)
}

// head is the length of the first part, once buf is full. It is the smaller
// one: what a stage says at its end matters more.
func (c *Capture) head() int { return c.Limit / 4 }
