// Package dispatch composes and reads the two XML messages of the pipeline:
// the dispatch that starts a stage and the task-result that ends it.
//
// # The dispatch
//
// Children of the root, and the handoffs inside `<previous-results>`, stand on
// a line of their own; everything below is on that line, so that no white
// space is ever added to a text. What is empty is left out, except the fields
// of a FULL handoff. Equal values give equal bytes.
//
//	<dispatch to="builder" work="WORK-01" task="TASK-03" attempt="2">
//	  <task-spec><file>…</file><title>…</title><action>implement</action><description>…</description></task-spec>
//	  <previous-results>
//	    <context-handoff from="prev-task" task="TASK-02" detail-level="FULL"><what>…</what><why>…</why><caution>…</caution><incomplete>None</incomplete></context-handoff>
//	    <context-handoff from="prev-prev-task" task="TASK-01" detail-level="SUMMARY"><what>…</what></context-handoff>
//	  </previous-results>
//	  <retry attempt="2" of="3" stage="committer"><reason>…</reason><failure-details>…</failure-details><progress file="…">…</progress></retry>
//	</dispatch>
//
// # The task-result
//
//	<task-result work="WORK-01" task="TASK-03" agent="builder" status="PASS">
//	  <summary>…</summary>
//	  <files-changed><file action="created" path="auth/login.go">…</file></files-changed>
//	  <self-check><check name="build" status="PASS"/></self-check>
//	  <verification><check name="tests" status="PASS" count="12">…</check></verification>
//	  <failure-details><failure check="tests"><error>…</error><file>…</file><suggested-fix>…</suggested-fix></failure></failure-details>
//	  <notes>…</notes>
//	  <context-handoff from="builder" detail-level="FULL"><what>…</what><why>…</why><caution>…</caution><incomplete>None</incomplete></context-handoff>
//	  <commit><hash>…</hash><message>…</message><type>feat</type></commit>
//	</task-result>
//
// Only status is required, and on PASS a context-handoff whose what says
// something. Unknown elements are ignored. Limits: 4 MiB an element, 64 KiB a
// text, 64 levels of nested markup. See ParseResult for how a stage's output
// is read.
package dispatch
