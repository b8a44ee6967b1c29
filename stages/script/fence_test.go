package script

import (
	"testing"
	"unicode/utf8"

	"github.com/taskpipeline/pipeline/tasks"
)

// Whatever a fence prints, what is said of its failure is one short line and
// a place inside the fence.
func FuzzFailedCommand(f *testing.F) {
	f.Add("go vet ./...\ngo test ./...\n", []byte("pipeline: line 12: go test ./...\n"))
	f.Add("false", []byte("pipeline: line 99999999999999999999: \x1b[31m\xff\r\n"))
	f.Add("", []byte("pipeline: line -1: x"))
	f.Fuzz(func(t *testing.T, text string, output []byte) {
		fence := tasks.Script{Line: 10, Text: text}
		line, command := failedCommand(fence, output)
		if line < 10 || line > 11+len(text) {
			t.Errorf("line %d", line)
		}
		if !utf8.ValidString(command) || utf8.RuneCountInString(command) > 102 {
			t.Errorf("command %q", command)
		}
	})
}
