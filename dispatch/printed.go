package dispatch

import (
	"bytes"
	"reflect"
)

// Printed is the element, as it stands in the output, from which result was
// read. An element may quote others, so that only reading tells which start
// tag is the one: the last that gives the same result. It is nil for an output
// that hides its element behind many quoted ones; the result is rendered then.
func Printed(output []byte, result Result, e Expect) []byte {
	const tries = 16
	end := len(output)
	if i := bytes.LastIndex(output, []byte("</task-result")); i >= 0 {
		if j := bytes.IndexByte(output[i:], '>'); j >= 0 {
			end = i + j + 1
		}
	}
	start := len(output)
	for range tries {
		start = bytes.LastIndex(output[:start], []byte("<task-result"))
		if start < 0 {
			return nil
		}
		element := output[start:max(start, end)]
		if len(element) == 0 { // an empty-element tag after the last end tag
			element = output[start:]
		}
		if read, err := ParseResult(element, e); err == nil && reflect.DeepEqual(read, result) {
			return bytes.Clone(element)
		}
	}
	return nil
}
