package scheduler

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFreedLockGoesToTheTaskThatHasBegun(t *testing.T) {
	t.Parallel()
	last := locked("TASK-09", "db")
	last.Approve = true
	b := newTable(t, Options{}, locked("TASK-01", "db"), locked("TASK-02", "db"), locked("TASK-03", "db"), last)
	b.pass("TASK-09")
	b.pass("TASK-09")
	b.say(Event{Type: WaitStarted, Task: "TASK-09", For: ForApproval})
	b.pass("TASK-01")
	b.say(Event{Type: Command, Verb: Approve, Task: "TASK-09"})
	b.candidate("TASK-01")
	b.land("TASK-01")
	require.Equal(t, []string{"TASK-09/committer#1"}, b.offered(1))
}

func TestNobodySkipsWhatIsAboutToLand(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{}, task("TASK-01"))
	b.candidate("TASK-01")
	b.say(Event{Type: RunJoined}) // no slot is held
	require.Equal(t, []string{"land TASK-01"}, b.offered(1))
	_, ok := b.p.Allows(Event{Type: Command, Verb: Skip, Task: "TASK-01"})
	require.False(t, ok)
}

func TestApprovalIsNotAskedOnceThereIsACandidate(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{}, task("TASK-01"))
	b.candidate("TASK-01")
	b.say(Event{Type: RunJoined, Tasks: []TaskSpec{{ID: "TASK-01", Approve: true}}})
	require.Equal(t, []string{"land TASK-01"}, b.offered(1))
	b.say(Event{Type: LandingFinished, Task: "TASK-01", Outcome: Moved, Onto: "tip", Tree: "merged"})
	require.Equal(t, []string{"TASK-01/committer#1.2"}, b.offered(1))
}
