// Package agentlog reads the event streams of coding agents' CLIs as they
// arrive: what the agent says and does, what it used up, and how it ended.
//
// Each CLI prints one JSON value on each line, in a dialect of its own. A
// Reader takes the bytes in any pieces and hands on what it understands as
// Events; its Outcome is what the stream came to. What it does not understand
// is counted and passed over: a new version of a CLI may say more than is known
// here.
//
// The exit status of these programs tells little: some end with 0 after the
// provider refused a request, one calls that a success. Diagnose puts stream,
// standard error and exit status together.
package agentlog
