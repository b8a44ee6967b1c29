package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/taskpipeline/pipeline/internal/session"
	"github.com/taskpipeline/pipeline/scheduler"
)

// reply is what became of a command.
type reply struct {
	text string
	live bool // a run has it now; otherwise it is in the record
}

// tell asks the live run of a session, or records the command itself when there
// is none.
func tell(pr *project, s *session.Session, command scheduler.Event) (reply, error) {
	holder, live, err := session.Held(pr.repo.CommonDir())
	if err != nil {
		return reply{}, err
	}
	if live && holder.Session == s.ID {
		return ask(pr, s, command, holder)
	}
	if command.Verb == scheduler.Stop {
		return reply{}, noRun(s)
	}
	return reply{text: "recorded"}, recordCommand(pr, s, command, "")
}

// ask leaves a request for a run. The run may have ended before the request was
// there: then it is taken back, and recorded as if no run had been seen.
func ask(pr *project, s *session.Session, command scheduler.Event, run session.Holder) (reply, error) {
	asked := reply{text: fmt.Sprintf("asked the live run (pid %d)", run.PID), live: true}
	id, err := s.Post(command, time.Now())
	if err != nil {
		return reply{}, err
	}
	holder, live, err := session.Held(pr.repo.CommonDir())
	if err != nil || live && holder == run {
		return asked, err
	}
	if command.Verb == scheduler.Stop {
		left, err := s.TakeBack(id)
		if err == nil && left {
			err = noRun(s)
		}
		return asked, err
	}
	err = recordCommand(pr, s, command, id)
	if errors.Is(err, errLocked) {
		// Whichever run this is: the request lies there for the next of its session.
		return reply{text: "asked the next run of the session", live: true}, nil
	}
	return reply{text: "recorded"}, err
}

func noRun(s *session.Session) error {
	return faultf(errNothing, "no run of session %s is alive", s.ID).then("pipeline status")
}

// recordCommand writes a command into the record of a session that no run owns.
// request is the id under which a run was asked before, "" if none was.
func recordCommand(pr *project, s *session.Session, command scheduler.Event, request string) (err error) {
	lock, err := session.Acquire(pr.repo.CommonDir(), s.ID, time.Now())
	if err != nil {
		return sessionFault(err)
	}
	defer lock.Release()
	if request != "" {
		// With the lock held nobody else answers requests any more.
		if left, err := s.TakeBack(request); err != nil || !left {
			return err
		}
	}
	journal, past, err := s.Journal()
	if err != nil {
		return faultf(errIntegrity, "%v", err)
	}
	more, err := scheduler.Obey(past, command, time.Now())
	if no := (*scheduler.RefusedError)(nil); errors.As(err, &no) {
		err = faultf(errUsage, "%s: %s", command.Verb, no.Reason).then("pipeline explain %s", command.Task)
	}
	for i := range more {
		if err == nil {
			err = journal.Append(&more[i])
		}
	}
	return errors.Join(err, journal.Close())
}
