package progress

import (
	"regexp"
	"strings"
)

// The escapes of result.md are Markdown's own: a backslash makes the character
// after it plain. They keep a text from ending the section it stands in, and
// reading removes exactly what writing added.

// commentMark is the start of an HTML comment and the backslashes before it.
var commentMark = regexp.MustCompile(`(\\*)<!--`)

// structural is a line that Markdown would take for a heading, a fence, a rule
// or HTML, or that begins with an escape of ours.
var structural = regexp.MustCompile("^[ \t]*(?:[#<\\\\]|```|~~~|=+[ \t]*$|-+[ \t]*$)")

// escapedLine is a line that escapeLine may have changed.
var escapedLine = regexp.MustCompile("^([ \t]*)\\\\([#<\\\\`~=-])")

// startsWithComment is a line that escapeComments takes care of.
var startsWithComment = regexp.MustCompile(`^[ \t]*\\*<!--`)

// escapeComments makes every comment mark plain text: n backslashes before it
// become 2n+1.
func escapeComments(s string) string { return commentMark.ReplaceAllString(s, `$1$1\<!--`) }

func unescapeComments(s string) string {
	return commentMark.ReplaceAllStringFunc(s, func(m string) string {
		n := len(m) - len("<!--")
		return m[:n/2] + "<!--"
	})
}

// escapeText escapes a text whose lines begin at the margin.
func escapeText(s string) string {
	out := strings.Split(escapeComments(s), "\n")
	for i, l := range out {
		if structural.MatchString(l) && !startsWithComment.MatchString(l) {
			margin := len(l) - len(strings.TrimLeft(l, " \t"))
			out[i] = l[:margin] + `\` + l[margin:]
		}
	}
	return strings.Join(out, "\n")
}

func unescapeText(s string) string {
	out := strings.Split(s, "\n")
	for i, l := range out {
		if !startsWithComment.MatchString(l) {
			out[i] = escapedLine.ReplaceAllString(l, "$1$2")
		}
	}
	return unescapeComments(strings.Join(out, "\n"))
}
