package proc

import (
	"regexp"
	"strings"
)

// escapes are terminal sequences: CSI, OSC, and those of two characters.
var escapes = regexp.MustCompile(`\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[ -/]*[0-~])`)

// Cut is the line with which a Tail begins that is not the whole output.
const Cut = "[...]\n"

// Tail is the end of an output as a person would have seen it: at most so many
// lines and so many bytes, without terminal sequences and control characters,
// of a line that was drawn several times the last state, blank lines at
// the end left out. It begins with Cut if something stood before it.
func Tail(output []byte, lines, bytes int) string {
	cut := false
	if raw := 8 * bytes; len(output) > raw { // sequences and redrawn lines are dropped below
		output, cut = output[len(output)-raw:], true
	}
	text := strings.ToValidUTF8(string(output), "\uFFFD")
	text = escapes.ReplaceAllString(text, "")
	all := strings.Split(strings.TrimRight(text, "\r\n\t "), "\n")
	if len(all) > lines {
		all, cut = all[len(all)-lines:], true
	}
	for i, line := range all {
		all[i] = shown(line)
	}
	text = strings.Join(all, "\n")
	if len(text) > bytes {
		text, cut = strings.ToValidUTF8(text[len(text)-bytes:], ""), true
	}
	if cut {
		text = Cut + text
	}
	return text
}

// shown is what a terminal shows of one line.
func shown(line string) string {
	line = strings.TrimRight(line, "\r")
	line = line[strings.LastIndexByte(line, '\r')+1:]
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, line)
}
