package dispatch

import "bytes"

const esc = 0x1b

// stripANSI removes the control sequences (CSI) and operating system commands
// (OSC) that terminals understand. An unfinished one loses only its two
// leading bytes, so that it can never hide a verdict.
func stripANSI(b []byte) []byte {
	next := bytes.IndexByte(b, esc)
	if next < 0 {
		return b
	}
	out := make([]byte, 0, len(b))
	for next >= 0 {
		out = append(out, b[:next]...)
		b = b[next:]
		n := sequenceLen(b)
		if n == 0 {
			out = append(out, esc)
			n = 1
		}
		b = b[n:]
		next = bytes.IndexByte(b, esc)
	}
	return append(out, b...)
}

// sequenceLen is the length of the sequence that b, which starts with ESC,
// begins with; 0 if it is neither CSI nor OSC.
func sequenceLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '[':
		for i, c := range b[2:] {
			switch {
			case c >= 0x40 && c <= 0x7e:
				return i + 3
			case c < 0x20 || c > 0x3f:
				return 2
			}
		}
		return 2
	case ']':
		for i, c := range b[2:] {
			switch {
			case c == 0x07:
				return i + 3
			case c == esc && i+3 < len(b) && b[i+3] == '\\':
				return i + 4
			case c < 0x20:
				return 2
			}
		}
		return 2
	}
	return 0
}
