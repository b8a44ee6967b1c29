package progress

import (
	"path"
	"strconv"
	"strings"
	"unicode"
)

// parseEntry reads one entry of a list of files: the path, cleaned, and what
// happened to it, if that is said.
func parseEntry(text string) (Change, bool) {
	action, rest := leadingAction(text)
	name, after, literal := splitLiteral(rest)
	if !literal {
		name, after = splitPath(rest)
	}
	if name == "" || !literal && (nothing(name) || nothing(rest)) {
		return Change{}, false
	}
	if action == "" {
		action, _ = actionOf(strings.TrimLeft(after, " \t—–-(:"))
	}
	return Change{Path: path.Clean(name), Action: action}, true
}

// leadingAction cuts "Modified: " from the front of an entry. A colon inside of
// a code span belongs to a path.
func leadingAction(text string) (Action, string) {
	word, rest, ok := strings.Cut(text, ":")
	if !ok || strings.Count(word, "`")%2 != 0 || strings.ContainsAny(strings.TrimSpace(word), " \t/.") {
		return "", text
	}
	action, ok := actionOf(word)
	if !ok {
		return "", text
	}
	if open := word[:len(word)-len(strings.TrimLeft(word, "*_"))]; !strings.HasSuffix(word, open) {
		rest = strings.TrimPrefix(rest, open) // **Modified:** a.go
	}
	return action, strings.TrimSpace(rest)
}

// splitLiteral cuts an entry whose path is a Go string literal.
func splitLiteral(s string) (name, after string, ok bool) {
	literal, err := strconv.QuotedPrefix(s)
	if err != nil || s[0] != '"' {
		return "", "", false
	}
	name, err = strconv.Unquote(literal)
	return name, s[len(literal):], err == nil
}

// splitPath cuts an entry into its path and what is said of it.
func splitPath(s string) (name, after string) {
	if ticks := len(s) - len(strings.TrimLeft(s, "`")); ticks > 0 {
		if name, after, ok := strings.Cut(s[ticks:], s[:ticks]); ok {
			return strings.TrimSpace(name), after
		}
	}
	for _, bold := range []string{"**", "__"} {
		if rest, ok := strings.CutPrefix(s, bold); ok {
			if name, after, ok := strings.Cut(rest, bold); ok {
				return name, after
			}
		}
	}
	return splitBare(s)
}

// splitBare cuts an entry whose path nothing delimits: at the first separator
// or parenthesis that an action follows, else at the first separator.
func splitBare(s string) (name, after string) {
	first := -1
	for _, mark := range []string{" — ", " – ", " - ", " ("} {
		for from := 0; ; {
			i := strings.Index(s[from:], mark)
			if i < 0 {
				break
			}
			at := from + i
			if _, ok := actionOf(s[at+len(mark):]); ok {
				return strings.TrimSpace(s[:at]), s[at:]
			}
			if mark != " (" && (first < 0 || at < first) {
				first = at
			}
			from = at + len(mark)
		}
	}
	if first < 0 && strings.HasSuffix(s, ")") {
		first = strings.LastIndex(s, " (")
	}
	if first < 0 {
		return s, ""
	}
	return strings.TrimSpace(s[:first]), s[first:]
}

// longestAction is more than any action takes with the marks around it, in bytes.
const longestAction = 64

// actionOf is the action that a text begins with.
func actionOf(s string) (Action, bool) {
	s = strings.Trim(s[:min(len(s), longestAction)], " \t*_`(")
	if end := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }); end >= 0 {
		s = s[:end]
	}
	switch strings.ToLower(s) {
	case "create", "created", "add", "added", "new", "생성", "추가", "作成", "追加":
		return Create, true
	case "modify", "modified", "update", "updated", "change", "changed", "edit", "edited", "수정", "변경", "変更", "修正":
		return Modify, true
	case "delete", "deleted", "remove", "removed", "삭제", "削除":
		return Delete, true
	}
	return "", false
}
