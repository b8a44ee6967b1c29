package agent

import (
	"fmt"
	"strings"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/internal/proc"
	"github.com/taskpipeline/pipeline/stages/envelope"
)

// correction begins every correction.
const correction = "This is a correction, not a new task. What you did so far is on disk; do not do it again.\n\n"

// fixText asks for the reply once more, after one that cannot be read.
func fixText(c *conversation, why error) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%sYour last reply could not be used: %v\n\n", correction, why)
	if c.form() == JSON {
		fmt.Fprintf(&b, "Fields of %s, in this order:\n", c.role.output)
		for _, f := range c.role.output.Fields() {
			fmt.Fprintf(&b, "- %s\n", f)
		}
		b.WriteString("\n")
	}
	b.WriteString(c.report())
	b.WriteString("\n\nReply with that and nothing else.\n")
	return b.String()
}

// gateText tells what gates found, and asks for the reply once more.
func gateText(c *conversation, refused []envelope.Check) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%sYour last reply was read, and does not agree with what is there:\n\n", correction)
	for _, v := range bounded(refused) {
		fmt.Fprintf(&b, "- %s\n", lineOf(v))
	}
	b.WriteString("\nMend what is wrong in the files or in the reply.\n\n")
	b.WriteString(c.report())
	b.WriteString("\n\nReply with that and nothing else.\n")
	return b.String()
}

// interruptedText goes on with an agent that was cut off.
func interruptedText(c *conversation) string {
	return "You were interrupted. What you did so far is on disk. Go on with the task where you left off, then give your reply.\n\n" + c.report() + "\n"
}

// maxShown is how many violations an agent, or a person, is told of.
const maxShown = 50

func bounded(refused []envelope.Check) []envelope.Check {
	if len(refused) <= maxShown {
		return refused
	}
	rest := envelope.Check{Item: fmt.Sprintf("and %d more", len(refused)-maxShown)}
	return append(refused[:maxShown:maxShown], rest)
}

// lineOf is `item: note`, on one line and of bounded length.
func lineOf(v envelope.Check) string {
	text := v.Item
	if v.Note != "" {
		text += ": " + v.Note
	}
	return clip(strings.Join(strings.Fields(proc.Tail([]byte(text), 1000, 4000)), " "), 500)
}

func inLine(refused []envelope.Check) string {
	var out []string
	for _, v := range bounded(refused) {
		out = append(out, lineOf(v))
	}
	return clip(strings.Join(out, "; "), 1000)
}

func failures(refused []envelope.Check) []dispatch.Failure {
	var out []dispatch.Failure
	for _, v := range bounded(refused) {
		out = append(out, dispatch.Failure{Check: v.Gate, Error: lineOf(v)})
	}
	return out
}

// clip cuts a text to so many characters.
func clip(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

// tail is the end of a reply that is kept with a failure.
func tail(s string) string {
	const most = 2000
	r := []rune(strings.ToValidUTF8(s, "\uFFFD"))
	if len(r) <= most {
		return string(r)
	}
	return "…" + string(r[len(r)-most+1:])
}
