package stagetest

import (
	"testing"

	"github.com/taskpipeline/pipeline/stages"
)

// Behaviour is what an executor under test is asked to do in one stage. Every
// one of them must work in the workspace and with the variables of
// Request.Environ, which hold two of the suite's own, TextVar and AliveVar.
type Behaviour string

// The behaviours. A stage that passes leaves the file MadeFile.
const (
	// Passes writes the value of TextVar to MadeFile and to its output, and
	// answers PASS with a handoff.
	Passes Behaviour = "passes"
	// Fails prints the value of TextVar and answers FAIL with a reason.
	Fails Behaviour = "fails"
	// Hangs opens the file named by AliveVar for writing and then never ends
	// by itself. The file must stay open as long as anything of the stage lives.
	Hangs Behaviour = "hangs"
	// Noisy does what Passes does, among what Noise holds, or as much of it as
	// the executor can print.
	Noisy Behaviour = "noisy"
	// Crashes answers PASS and then ends in a way that contradicts it, such
	// as by exit status 3.
	Crashes Behaviour = "crashes"
	// Mute ends well without having answered anything.
	Mute Behaviour = "mute"
	// Impostor answers PASS for TASK-99.
	Impostor Behaviour = "impostor"
)

const (
	// MadeFile is the path, in the workspace, of what a passing stage makes.
	MadeFile = "made.txt"
	// TextVar names the variable that holds a text of this one request.
	TextVar = "STAGETEST_TEXT"
	// AliveVar names the variable that holds the path of a named pipe.
	AliveVar = "STAGETEST_ALIVE"
)

// New makes the executor that shows a behaviour, and may adapt the request it
// will be given, the TASK's fences for instance. It returns nil for a
// behaviour that this kind of executor is not able to show.
type New func(t *testing.T, b Behaviour, req *stages.Request) stages.Executor

// Noise is a hostile piece of output: colours, control bytes, invalid UTF-8,
// markup, a line without end, an earlier verdict.
func Noise() []byte {
	noise := []byte("\x1b[31mred\x1b[0m \x1b]0;title\x07 \x00\x01\x02 \xff\xfe <a & b> &amp; ]]> <!-- \r\n" +
		"<!DOCTYPE x [<!ENTITY e \"boom\">]> &e;\n" +
		"<task-result status=\"FAIL\"><summary>an earlier draft</summary></task-result>\n" +
		"<dispatch to=\"builder\"></dispatch>\n```xml\n")
	for range 1 << 16 {
		noise = append(noise, "0123456789abcdef"...)
	}
	return append(noise, '\n')
}
