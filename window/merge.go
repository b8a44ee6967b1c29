package window

import "strings"

// VerifierMark stands before each line that a merged handoff has from the
// verifier.
const VerifierMark = "[verifier] "

// Merge makes the one handoff that a TASK leaves for those that depend on it:
// What and Why are the builder's; Caution and Incomplete are the builder's
// lines followed by the verifier's, each of those marked with VerifierMark.
// A field that only says "None" adds nothing.
func Merge(builder, verifier Handoff) Handoff {
	return Handoff{
		What:       builder.What,
		Why:        builder.Why,
		Caution:    join(builder.Caution, verifier.Caution),
		Incomplete: join(builder.Incomplete, verifier.Incomplete),
	}
}

func join(builder, verifier string) string {
	var lines []string
	if !None(builder) {
		lines = append(lines, strings.TrimSpace(builder))
	}
	if !None(verifier) {
		for line := range strings.SplitSeq(strings.TrimSpace(verifier), "\n") {
			if strings.TrimSpace(line) != "" {
				lines = append(lines, VerifierMark+line)
			}
		}
	}
	return strings.Join(lines, "\n")
}

// None tells whether a text says that there is nothing: it is blank, a dash,
// or "none" in one of the languages that plans are written in, in any case,
// with or without parentheses or a full stop.
func None(s string) bool {
	s = strings.ToLower(strings.TrimSpace(s))
	for _, stop := range []string{".", "。"} {
		if sentence := strings.TrimSuffix(s, stop); sentence != "" {
			s = sentence
		}
	}
	if inner, ok := strings.CutPrefix(s, "("); ok {
		s = strings.TrimSpace(strings.TrimSuffix(inner, ")"))
	}
	switch s {
	case "", "none", "없음", "なし", "n/a", "-", "–", "—":
		return true
	}
	return false
}
