package dispatch

import (
	"bytes"
	"strings"
)

const (
	cdataOpen  = "<![CDATA["
	cdataClose = "]]>"
)

// cdata returns the end of the CDATA section at a position of a text element.
func (s *scanner) cdata(at int) (end int, ok bool) {
	if !bytes.HasPrefix(s.text[at:], []byte(cdataOpen)) {
		return 0, false
	}
	end, ok = s.find(at, cdataClose)
	return end + len(cdataClose), ok && isSection(s.text[at+len(cdataOpen):end])
}

// isSection tells whether what stands between a `<![CDATA[` and the next
// `]]>` is a section. It is not when the opening was only mentioned: another
// one follows, or one result ends and the next begins before the closing.
func isSection(content []byte) bool {
	if bytes.Contains(content, []byte(cdataOpen)) {
		return false
	}
	ended := bytes.Index(content, []byte("</"+resultTag))
	begun := bytes.LastIndex(content, []byte("<"+resultTag))
	return ended < 0 || begun < ended
}

// plainText is what a text element says: references decoded, CDATA sections
// unwrapped, everything else as it stands.
func plainText(raw []byte) string {
	var out strings.Builder
	for {
		before, after, opened := bytes.Cut(raw, []byte(cdataOpen))
		content, rest, closed := bytes.Cut(after, []byte(cdataClose))
		switch {
		case !opened || !closed:
			out.WriteString(decodeReferences(string(raw)))
			return out.String()
		case isSection(content):
			out.WriteString(decodeReferences(string(before)))
			out.Write(content)
			raw = rest
		default:
			out.WriteString(decodeReferences(string(before)))
			out.WriteString(cdataOpen)
			raw = after
		}
	}
}
