package stages

import (
	"crypto/sha256"
	"fmt"
	"strconv"
)

// Environ is what a process that performs the request is told in its
// environment, as KEY=value: PIPELINE_TASK, PIPELINE_STAGE, PIPELINE_ATTEMPT
// and PIPELINE_ROUND (both from 1), PIPELINE_SESSION, PIPELINE_PROGRESS,
// PIPELINE_CONTEXT_HANDOFF_DIR (also as PIPELINE_CONTEXT_HANDOFF),
// PIPELINE_AGENT_SESSION, and then Env.
func (r Request) Environ() []string {
	return append([]string{
		"PIPELINE_TASK=" + string(r.Step.Task),
		"PIPELINE_STAGE=" + string(r.Step.Stage),
		"PIPELINE_ATTEMPT=" + strconv.Itoa(r.Step.Attempt),
		"PIPELINE_ROUND=" + strconv.Itoa(max(1, r.Step.Round)),
		"PIPELINE_SESSION=" + r.Session,
		"PIPELINE_PROGRESS=" + r.Progress,
		"PIPELINE_CONTEXT_HANDOFF_DIR=" + r.HandoffDir,
		"PIPELINE_CONTEXT_HANDOFF=" + r.HandoffDir,
		r.Mark(),
	}, r.Env...)
}

// Mark is the entry of Environ that no other stage under way has: a TASK is in
// one stage at a time. It tells whose a process is that was left running.
func (r Request) Mark() string { return "PIPELINE_AGENT_SESSION=" + r.AgentSession() }

// AgentSession is the id under which an agent may keep its conversation: the
// same for every send, attempt and round of one stage of one TASK in one
// session. It is derived, so nothing has to be stored.
func (r Request) AgentSession() string { return SessionID(r.Session + "/" + r.Step.Agent()) }

// SessionID derives an id for an agent's conversation. It has the form of a UUID
// (version 8), because that is what the CLIs that take an id accept.
func SessionID(seed string) string {
	sum := sha256.Sum256([]byte(seed))
	id := sum[:16]
	id[6] = id[6]&0x0f | 0x80
	id[8] = id[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}
