package agent

import (
	"fmt"

	"github.com/taskpipeline/pipeline/stages/envelope"
)

// report is the agent's output contract: the exact shape of its reply.
func (c *conversation) report() string {
	if c.form() == JSON {
		return fmt.Sprintf("Respond with ONLY valid JSON matching `%s`, no prose before or after it:\n\n```json\n%s\n```", c.role.output, c.role.output.Example())
	}
	return "Respond with ONLY this element, no prose before or after it:\n\n```xml\n" + elementOf(c.role) + "\n```\n\n" + lengths
}

// lengths are how much is asked for in each field of a handoff.
const lengths = "Lengths: what 2-5 lines, why 2-4, caution 1-3, incomplete 1-2. Write None where there is nothing to say."

// elementOf is the task-result that a role is to write.
func elementOf(r role) string {
	if r.output == envelope.Review {
		return `<task-result status="PASS">
  <summary>one sentence: the verdict</summary>
  <verification><check name="a criterion" status="PASS">what shows it</check></verification>
  <failure-details><failure check="a criterion that is not met"><error>what is wrong, and where</error><suggested-fix>what to change</suggested-fix></failure></failure-details>
  <context-handoff from="verifier" detail-level="FULL">
    <what>what was verified</what>
    <why>how, and why that is enough</why>
    <caution>what those who build on this must know</caution>
    <incomplete>None</incomplete>
  </context-handoff>
</task-result>`
	}
	return `<task-result status="PASS">
  <summary>one sentence: what happened</summary>
  <context-handoff from="builder" detail-level="FULL">
    <what>what was built</what>
    <why>why it was built that way</why>
    <caution>what those who build on this must know</caution>
    <incomplete>None</incomplete>
  </context-handoff>
</task-result>`
}

// what names the reply that is wanted.
func (c *conversation) what() string {
	if c.form() == JSON {
		return fmt.Sprintf("valid %s JSON", c.role.output)
	}
	return "a valid task-result"
}
