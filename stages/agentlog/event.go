package agentlog

import "time"

// CLI is a coding agent's command-line program.
type CLI string

// The programs whose streams are read.
const (
	Claude   CLI = "claude"
	Codex    CLI = "codex"
	Gemini   CLI = "gemini"
	OpenCode CLI = "opencode"
	Pi       CLI = "pi"
)

// Known are the programs whose streams are read, sorted.
func Known() []CLI { return []CLI{Claude, Codex, Gemini, OpenCode, Pi} }

// Kind is what an Event tells.
type Kind string

// The kinds of events.
const (
	Started    Kind = "started"     // SessionID, Model
	UserText   Kind = "user_text"   // Text: what the agent was asked
	Text       Kind = "text"        // Text: what the agent says
	ToolCall   Kind = "tool_call"   // Tool, Input
	ToolResult Kind = "tool_result" // OK, Text
	Ended      Kind = "ended"       // the stream's last word, unless more follows: the process ends next
)

// Event is one thing that a stream tells. Its texts are bounded, valid UTF-8,
// and hold no control characters but line feeds and tabs.
type Event struct {
	Kind      Kind
	SessionID string
	Model     string
	Text      string // at most 64 KiB
	Tool      string // the CLI's name of the tool
	Input     string // of a tool: the path or command if there is one, in one line
	OK        bool   // of a tool's result
}

// Outcome is what a stream came to.
type Outcome struct {
	SessionID string
	Model     string
	Final     string   // the agent's last text, whole
	Ended     bool     // the stream's last word was seen
	Fault     *Fault   // what it says went wrong
	Usage     Usage    // as the CLI counts it
	Denied    []string // tools that were not allowed, with their input; at most 100
	Noise     int      // lines that are no JSON object, or longer than 16 MiB
}

// Usage is what an agent used up. Claude counts USD, and codex tokens, over the
// whole session and not over one call.
type Usage struct {
	Input  int64 // tokens, those read from a cache included
	Output int64 // tokens
	USD    float64
	Tools  int // calls of tools
}

// FaultKind is what can be done about a fault.
type FaultKind string

// The kinds of faults.
const (
	Refused        FaultKind = "refused"         // the request is wrong: credentials, model, account
	RateLimited    FaultKind = "rate limited"    // the provider wants it later
	Overloaded     FaultKind = "overloaded"      // the provider cannot, now
	UnknownSession FaultKind = "unknown session" // there is none of that id to go on with
	SessionInUse   FaultKind = "session in use"  // there is one of that id already
	Other          FaultKind = "other"
)

// Fault is why a call brought no reply.
type Fault struct {
	Kind    FaultKind
	Status  int           // of HTTP, 0 if unknown
	Message string        // at most 2,000 bytes
	Until   time.Time     // when to come again; zero if the provider does not say
	After   time.Duration // likewise, counted from now
}
