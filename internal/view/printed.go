package view

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// sequences are what programs print to colour and to move about, also when an
// earlier reader has replaced the ESC that begins them.
var sequences = regexp.MustCompile(`(?:\x1b|\x{FFFD})\[[0-9;:?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)`)

// oneLine makes text that a program or a file gave safe for a line of ours.
func oneLine(s string) string { return Plain(sequences.ReplaceAllString(strings.TrimSpace(s), "")) }

// fit is oneLine, cut to a number of columns.
func fit(s string, columns int) string { return Fit(oneLine(s), columns) }

// printed turns what a program printed into lines that are safe to show: at
// most limit of them, the last ones, each cut to a number of columns. The
// second value is the number of lines left out before them.
func printed(s string, limit, columns int) (lines []string, omitted int) {
	s = strings.ReplaceAll(sequences.ReplaceAllString(s, ""), "\r\n", "\n")
	all := strings.Split(strings.Trim(s, "\n"), "\n")
	if len(all) == 1 && strings.TrimSpace(all[0]) == "" {
		return nil, 0
	}
	if len(all) > limit {
		omitted = len(all) - limit
		all = all[omitted:]
	}
	for _, line := range all {
		// A progress bar rewrites its line; what was last on it counts.
		if at := strings.LastIndexByte(strings.TrimRight(line, "\r"), '\r'); at >= 0 {
			line = line[at+1:]
		}
		line = strings.ReplaceAll(line, "\t", "    ")
		lines = append(lines, strings.TrimRight(Fit(line, columns), " "))
	}
	return lines, omitted
}

// wrapped breaks text into lines of at most a number of columns, keeping its
// own line breaks, and cuts it after limit lines.
func wrapped(s string, limit, columns int) []string {
	columns = max(columns, 10)
	var out []string
	for paragraph := range strings.SplitSeq(strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")), "\n") {
		paragraph = strings.TrimRight(Plain(sequences.ReplaceAllString(paragraph, "")), " ")
		// Wrap lets a hyphen stand out at the end of a line; Hardwrap does not.
		for line := range strings.SplitSeq(ansi.Hardwrap(ansi.Wrap(paragraph, columns, ""), columns, true), "\n") {
			if len(out) == limit {
				out[limit-1] = Fit(out[limit-1]+" …", columns)
				return out
			}
			out = append(out, strings.TrimRight(line, " "))
		}
	}
	return out
}

// unsteered is a text of several lines, exact but for what could steer a
// terminal.
func unsteered(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
