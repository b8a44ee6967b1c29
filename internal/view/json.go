package view

import (
	"encoding/json"
	"io"
)

// orEmpty keeps lists lists: in JSON, a nil slice would be null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// JSON writes one of the documents of this package, indented, with a line feed
// at the end. Text in it is as recorded: JSON needs no other escaping.
func JSON(w io.Writer, document any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(document)
}
