package tasks

// maxNesting bounds the quotes and lists that one line may open, and the brackets
// of YAML: the time to parse them grows with the square of their depth.
const maxNesting = 100

// tooNested returns the offset of the first line that opens too many quotes and
// lists, -1 when there is none.
func tooNested(source []byte) int {
	start := 0
	for start < len(source) {
		i, depth := start, 0
		for {
			for i < len(source) && (source[i] == ' ' || source[i] == '\t') {
				i++
			}
			n := markerLen(source[i:])
			if n == 0 {
				break
			}
			if depth++; depth > maxNesting {
				return start
			}
			i += n
		}
		for i < len(source) && source[i] != '\n' {
			i++
		}
		start = i + 1
	}
	return -1
}

// tooBracketed reports whether a source ever opens too many brackets and braces
// inside each other. It does not know of quotes: front matter has no use for
// either in such numbers.
func tooBracketed(source string) bool {
	depth := 0
	for i := range len(source) {
		switch source[i] {
		case '[', '{':
			if depth++; depth > maxNesting {
				return true
			}
		case ']', '}':
			depth = max(0, depth-1)
		}
	}
	return false
}

// markerLen returns the length of the quote or list marker at the start of s, 0
// when there is none.
func markerLen(s []byte) int {
	if len(s) == 0 {
		return 0
	}
	n := 1
	switch c := s[0]; {
	case c == '>':
		return 1
	case c == '-' || c == '*' || c == '+':
	case '0' <= c && c <= '9':
		for n < len(s) && n < 10 && '0' <= s[n] && s[n] <= '9' {
			n++
		}
		if n == len(s) || (s[n] != '.' && s[n] != ')') {
			return 0
		}
		n++
	default:
		return 0
	}
	if n < len(s) && s[n] != ' ' && s[n] != '\t' {
		return 0
	}
	return n
}
