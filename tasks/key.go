package tasks

import (
	"regexp"
	"strings"
)

// dependencyKey reports whether a normalised key announces dependencies.
func dependencyKey(key string) bool {
	switch key {
	case "depends", "depends on", "dependencies",
		"선행", "선행 task", "의존", "의존성", "의존관계", "依存", "依存関係":
		return true
	}
	return false
}

// normalKey strips what may dress a key: case, bold, code, underscores for
// spaces, a colon at the end.
func normalKey(s string) string {
	s = strings.Map(func(r rune) rune {
		switch r {
		case '*', '`':
			return -1
		case '_':
			return ' '
		case '：':
			return ':'
		}
		return r
	}, s)
	return strings.TrimRight(strings.ToLower(strings.Join(strings.Fields(s), " ")), " :")
}

// bareKeyPattern is a key that stands before its value without a colon, as in
// "선행 없음".
var bareKeyPattern = regexp.MustCompile("(?i)^[\\s*_`]*(?:depends[ _]on|dependencies|depends|선행 task|선행|의존관계|의존성|의존|依存関係|依存)[\\s*_`]+")

// keyed splits "Depends on: TASK-01" and returns the value. It returns false
// when the key is no dependency key.
func keyed(l line) (line, bool) {
	if i := strings.IndexAny(l.text, ":："); i >= 0 && dependencyKey(normalKey(l.text[:i])) {
		after := strings.TrimLeft(l.text[i:], ":：")
		return l.from(len(l.text) - len(after)), true
	}
	if m := bareKeyPattern.FindString(l.text); m != "" {
		value := l.from(len(m))
		if value.text != "" && readIDs(value.text).speaks() {
			return value, true
		}
	}
	return line{}, false
}
