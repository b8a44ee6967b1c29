package session

import (
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/taskpipeline/pipeline/internal/crash"
)

// OutputLimit is how much of a step's raw output is kept unless told otherwise.
const OutputLimit = 64 << 20

// minLimit leaves room for the mark and something on each side of it.
const minLimit = 1 << 10

// cutMark has the same length whatever the number, so that it can be renewed in
// place; it stands on a line of its own and is JSON among JSON.
func cutMark(n int64) []byte {
	return fmt.Appendf(nil, "\n{\"type\":\"output_cut\",\"bytes\":%20d}\n", n)
}

// output appends to a raw_output.jsonl. What exceeds the limit is dropped from
// the middle: the file keeps the step's first half limit, a mark, and at least
// its last quarter limit. Memory does not grow with what is written.
type output struct {
	open  func() (*os.File, error)
	enter func(write func() error) error // performs a write, and enters it in the ledger
	limit int64

	mu     sync.Mutex
	file   *os.File // opened by the first write
	closed bool
	start  int64 // size of the file before this step
	size   int64 // bytes of this step in the file
	cut    int64 // bytes of this step that are not
}

// Write never fails: what cannot be kept is counted and dropped, since a full
// disk must not change what a stage does.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	_ = o.enter(func() error { // what went wrong is counted
		o.write(p)
		return nil
	})
	return len(p), nil
}

func (o *output) write(p []byte) {
	if err := o.ready(); err != nil {
		o.cut += int64(len(p))
		return
	}
	for rest := p; len(rest) > 0; {
		n := min(int64(len(rest)), o.limit/4)
		if err := o.append(rest[:n]); err != nil {
			o.cut += int64(len(rest))
			return
		}
		rest = rest[n:]
	}
}

// Close frees the file; what is written later is dropped.
func (o *output) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	if o.file == nil {
		return nil
	}
	f := o.file
	o.file = nil
	return f.Close()
}

func (o *output) ready() error {
	if o.closed {
		return os.ErrClosed
	}
	if o.file != nil {
		return nil
	}
	if o.limit == 0 {
		o.limit = OutputLimit
	}
	o.limit = max(o.limit, minLimit)
	defer crash.Around("output open")()
	f, err := o.open()
	if err != nil {
		return err
	}
	if o.start, err = f.Seek(0, io.SeekEnd); err != nil {
		f.Close()
		return err
	}
	o.file = f
	return nil
}

func (o *output) append(p []byte) error {
	if o.size+int64(len(p)) > o.limit {
		if err := o.fold(); err != nil {
			return err
		}
	}
	defer crash.Around("output append")()
	if _, err := o.file.WriteAt(p, o.start+o.size); err != nil {
		return err
	}
	o.size += int64(len(p))
	return nil
}

// fold moves the step's last quarter limit down to the mark and cuts the rest
// off. Each fold frees at least a quarter less the mark, so the bytes moved stay
// in proportion to the bytes written.
func (o *output) fold() error {
	head, keep := o.limit/2, o.limit/4-int64(len(cutMark(0)))
	to := head + int64(len(cutMark(0)))
	from := o.size - keep
	if o.cut == 0 {
		o.cut = from - head
	} else {
		o.cut += from - to
	}
	tail := io.NewSectionReader(o.file, o.start+from, keep)
	if _, err := io.Copy(io.NewOffsetWriter(o.file, o.start+to), tail); err != nil {
		return err
	}
	if _, err := o.file.WriteAt(cutMark(o.cut), o.start+head); err != nil {
		return err
	}
	o.size = to + keep
	return o.file.Truncate(o.start + o.size)
}
