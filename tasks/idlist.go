package tasks

import (
	"regexp"
	"strings"
)

// mention is an id as it stands in a text.
type mention struct {
	id     ID
	prefix string
	at     int // byte offset in the text
}

// idList is what the start of a dependency place says.
type idList struct {
	ids       []mention
	none      bool      // says that there are none
	unread    []mention // ids behind the point at which reading stopped
	shorthand string    // a range or an abbreviated id, which is never guessed
	at        int       // byte offset of the shorthand
}

// speaks reports whether the text says anything about dependencies.
func (l idList) speaks() bool { return l.none || len(l.ids) > 0 || l.shorthand != "" }

const idExpr = `(?:([\p{L}\p{N}]+(?:[-_.][\p{L}\p{N}]+)*?)-)??TASK-([0-9]+)`

var (
	leadPattern = regexp.MustCompile("^(?:[\\s*_`]|\\[[ xX]?\\](?:\\s|$))*")
	itemPattern = regexp.MustCompile(`(?i)^\[?` + idExpr)
	nonePattern = regexp.MustCompile("(?i)^(?:\\(?(?:none|없음|なし)(?:$|[^\\p{L}\\p{N}-])|[-–—]?[\\s*_`]*$)")
	// slugPattern is the rest of a file's name, as in TASK-01-schema.md.
	slugPattern = regexp.MustCompile(`(?i)^(?:-[\p{L}\p{N}_]*\p{L}[\p{L}\p{N}_]*(?:[-.][\p{L}\p{N}_]+)*|\.md\b)`)
	// closePattern ends a code span, emphasis or a link.
	closePattern  = regexp.MustCompile("^[*_`]*(?:\\](?:\\([^)\\s]*\\))?)?[*_`]*")
	separator     = regexp.MustCompile(`^(?:\s|[,、，;；/&+·])*`)
	rangePattern  = regexp.MustCompile("(?i)^\\s*(?:(?:~|～|〜|…|\\.\\.+|\\b(?:to|through)\\b)[\\s*_`\\[]*(?:" + idExpr + "|[0-9]+)|[-–—][\\s*_`\\[]*" + idExpr + `|[-–—][0-9]+)(?:$|[^\p{L}\p{N}])`)
	numberPattern = regexp.MustCompile(`(?i)^\s*(?:[,、，;；/&+·]|\b(?:and|und)\b|및|と)\s*#?[0-9]+(?:$|[^\p{L}\p{N}])`)
	anyIDPattern  = regexp.MustCompile(`(?i)` + idExpr)
)

// readIDs reads the ids at the start of a text and stops at the first thing that
// is none. Code, bold, links and a checkbox around an id do not matter.
func readIDs(s string) idList {
	var l idList
	at := len(leadPattern.FindString(s))
	for {
		m, end := itemAt(s, at)
		if end < 0 {
			break
		}
		l.ids = append(l.ids, m)
		if short := shorthandAt(s[end:]); short != "" {
			l.shorthand, l.at = strings.TrimSpace(s[m.at:end]+short), m.at
			at = end + len(short)
			break
		}
		at = end + len(separator.FindString(s[end:]))
		at += len(leadPattern.FindString(s[at:]))
	}
	l.none = len(l.ids) == 0 && nonePattern.MatchString(s[at:])
	for _, m := range anyIDPattern.FindAllStringSubmatchIndex(s[at:], -1) {
		if u, ok := mentionOf(s, at, m); ok {
			l.unread = append(l.unread, u)
		}
	}
	return l
}

// itemAt reads one id at an offset and returns where it ends, -1 if none is there.
func itemAt(s string, at int) (mention, int) {
	rest := s[at:]
	loc := itemPattern.FindStringSubmatchIndex(rest)
	if loc == nil {
		return mention{}, -1
	}
	end := loc[1]
	if end < len(rest) && (rest[end] == '_' || isASCIILetter(rest[end])) {
		return mention{}, -1
	}
	m, ok := mentionOf(s, at, loc)
	if !ok {
		return mention{}, -1
	}
	if rangePattern.FindString(rest[end:]) == "" {
		end += len(slugPattern.FindString(rest[end:]))
	}
	end += len(closePattern.FindString(rest[end:]))
	return m, at + end
}

// mentionOf makes a mention of a match of idExpr in s[at:].
func mentionOf(s string, at int, loc []int) (mention, bool) {
	id, ok := canonical(s[at+loc[4] : at+loc[5]])
	m := mention{id: id, at: at + loc[0]}
	if loc[2] >= 0 {
		m.prefix = s[at+loc[2] : at+loc[3]]
		m.at = at + loc[2]
	}
	return m, ok
}

// shorthandAt returns the rest of a range or of an abbreviation such as ", 02".
func shorthandAt(rest string) string {
	if m := rangePattern.FindString(rest); m != "" {
		return m
	}
	return numberPattern.FindString(rest)
}

func isASCIILetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
