// Package agent performs stages by coding agents: the CLIs of claude, codex,
// pi, opencode and gemini, and any command that takes a prompt and replies in
// JSON.
//
// An agent is told everything in one prompt, works in the workspace, and has
// two output channels and no others: files in context_handoff/, and one final
// reply. The reply is typed: its type lives in code, fixed by the stage, and
// only its form, XML or JSON, is chosen by the configuration.
//
// One loop (Executor.converse) holds the conversation. A reply that cannot be
// read, or that a gate refuses, is corrected in the same session of the agent:
// at most two corrections of its form, and as many of what gates found as the
// executor's Retries, after each of which two corrections of form are free
// again. A correction never starts the agent anew.
//
//	what happened                                     what it is
//	the CLI is not there, the provider refuses us     an error: the run stops, no attempt used
//	rate limit, overload, provider error              a Wait: the same send again later
//	cut off                                           an error wrapping ctx.Err(); the stage goes on in its session
//	process failed, final event missing               FAIL with the reason
//	status "fail"                                     FAIL with the agent's summary; one send
//	reply invalid, or refused by gates, to the end    FAIL
//	reply valid, gates green                          the reply's verdict
//
// # What is on record
//
// Before each send its prompt is saved as prompts/NNNN-user.md, and as
// prompts/NNNN-system.md where a session begins; NNNN counts over all attempts
// of one stage of one TASK. raw_output.jsonl holds the agent's own event stream
// as it arrives, between a line {"type":"pipeline_send",…} and a line
// {"type":"pipeline_reply",…} of ours; what the CLI prints on its standard error
// stands there as {"type":"stderr","text":…}. envelope.json is the last valid
// typed reply. The same facts are evidence in the events: agent_sent and
// agent_replied, and agent_tool and agent_text while it works.
package agent
