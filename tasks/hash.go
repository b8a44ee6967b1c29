package tasks

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
)

// specHash names what a TASK asks for. It covers the dependencies, by number,
// and the Markdown body without trailing white space on a line and without blank
// lines at either end; other front matter does not make another TASK of it.
func specHash(deps []ID, markdown string) string {
	h := sha256.New()
	for _, d := range sortedSet(deps) {
		h.Write([]byte(string(d) + "\n"))
	}
	h.Write([]byte("\n"))
	blank := 0
	started := false
	for l := range strings.Lines(markdown) {
		l = strings.TrimRightFunc(l, unicode.IsSpace)
		if l == "" {
			blank++
			continue
		}
		if started {
			h.Write([]byte(strings.Repeat("\n", blank)))
		}
		started, blank = true, 0
		h.Write([]byte(l + "\n"))
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}
