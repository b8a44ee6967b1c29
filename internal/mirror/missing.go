package mirror

import (
	"errors"
	"fmt"
	"strings"

	"github.com/taskpipeline/pipeline/internal/session"
)

// missing tells what cannot be told of a session, in one line; "" if nothing
// is missing. Where its record is lost it takes from other files what they hold.
func (f *fold) missing(s *session.Session, broken error) str {
	var problems []string
	if lost := f.lost(s, broken); lost != "" {
		f.session.state = str(session.Broken)
		f.changed = true
		found, err := f.restore(s)
		if err != nil {
			f.w.err = err
			return ""
		}
		problems = append(problems, lost, fmt.Sprintf("restored from the agents' files: %s, %s", count(found.sends, "send"), count(found.envelopes, "envelope")))
		if found.unheard > 0 {
			problems = append(problems, fmt.Sprintf("what came of %s is lost: raw_output.jsonl does not tell", count(found.unheard, "send")))
		}
	}
	if p := f.agentSessions(s); p != "" {
		problems = append(problems, p)
		f.changed = true
	}
	return str(strings.Join(problems, "; "))
}

// lost tells which part of the record is lost; "" for none.
func (f *fold) lost(s *session.Session, broken error) string {
	if line := (*session.RecordError)(nil); errors.As(broken, &line) {
		from := "events.jsonl"
		if line.Line > 0 {
			from += fmt.Sprintf(":%d", line.Line)
		}
		return fmt.Sprintf("%s: %v: tasks, stages and events from there on are lost", from, line.Err)
	}
	if broken != nil {
		return fmt.Sprintf("events.jsonl cannot be read: %v", broken)
	}
	if agents, err := s.AgentFolders(); f.session.seq == 0 && (err != nil || len(agents) > 0) {
		return "events.jsonl is gone: tasks, stages and events are lost"
	}
	return ""
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
