package tasks

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

// maxDigits keeps every number inside an int on 64-bit machines.
const maxDigits = 18

var idPattern = regexp.MustCompile(`(?i)^(?:(.+?)-)??TASK-([0-9]+)$`)

// ParseID reads one id in any of its spellings ("TASK-1", "task-01",
// "WORK-20-TASK-001") and returns it in canonical form. It returns false when s
// is anything else, or when the number has more than 18 digits.
func ParseID(s string) (ID, bool) {
	m := idPattern.FindStringSubmatch(s)
	if m == nil {
		return "", false
	}
	return canonical(m[2])
}

// canonical returns the id of a number written in decimal digits.
func canonical(digits string) (ID, bool) {
	digits = strings.TrimLeft(digits, "0")
	if len(digits) > maxDigits {
		return "", false
	}
	for len(digits) < 2 {
		digits = "0" + digits
	}
	return ID("TASK-" + digits), true
}

// Number returns the number of a canonical id: 3 for "TASK-03", and -1 for
// anything that is not a canonical id.
func (id ID) Number() int {
	digits, ok := strings.CutPrefix(string(id), "TASK-")
	if !ok {
		return -1
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// Compare orders ids by number: negative when id comes before other, zero when
// both are the same TASK. It has the shape that slices.SortFunc asks for.
func (id ID) Compare(other ID) int {
	return cmp.Compare(id.Number(), other.Number())
}
