package secret

import (
	"errors"
	"io"
)

// searchBlock is how much of a file is looked at at once.
const searchBlock = 256 << 10

var errFound = errors.New("found")

// Find is the name of the first secret that r holds, "" if there is none. It
// reads r in blocks, to its end or to that secret.
func (s *Set) Find(r io.Reader) (name string, _ error) {
	if s == nil {
		return "", nil
	}
	err := s.search(r, func(at span) error {
		name = at.name
		return errFound
	})
	if errors.Is(err, errFound) {
		err = nil
	}
	return name, err
}

// search reads r and tells where it holds secrets. What stands across the
// border of two blocks may be told twice.
func (s *Set) search(r io.Reader, see func(span) error) error {
	buf := make([]byte, 0, searchBlock+s.longest)
	offset := 0 // of buf in r
	for {
		n, err := io.ReadFull(r, buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		for _, f := range s.spans(buf) {
			if err := see(span{offset + f.start, offset + f.end, f.name}); err != nil {
				return err
			}
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return nil
		}
		if err != nil {
			return err
		}
		keep := min(len(buf), s.longest-1)
		offset += len(buf) - keep
		buf = buf[:copy(buf, buf[len(buf)-keep:])]
	}
}
