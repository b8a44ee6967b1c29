package endtoend

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/stretchr/testify/require"
)

// journey is a scenario on its way to its end, however often it is stopped.
type journey struct {
	*place
	*scenario
	begin  []string          // the first command
	plan   string            // the tasks folder, if it lies outside
	mine   map[string]string // the user's uncommitted files
	status string            // what git said of them at the beginning
}

// doing is a way to run the program, such as one that kills it.
type doing func(args ...string) result

const (
	done     = 0
	refused  = 2
	waits    = 6 // for approval
	noneOpen = 4 // no session to go on with
)

// toTheEnd does what a user would until all is built: runs, approves what waits,
// resumes what was killed, puts back what a killed run left in the checkout
// itself. What disturbs is for one process after the other.
func (j *journey) toTheEnd(disturb ...doing) {
	j.Helper()
	next := j.begin
	for range 10 + len(disturb) {
		do, disturbed := doing(j.pipeline), len(disturb) > 0
		if disturbed {
			do, disturb = disturb[0], disturb[1:]
		}
		r := j.process(do, next...)
		switch {
		case r.code == noneOpen:
			next = j.begin
		case r.code == refused && j.clean && strings.Contains(r.stderr, "have left\n  next: commit what is yours, restore the rest"):
			j.git("restore", ".")
			j.git("clean", "-fdq")
		case r.code == waits:
			next = []string{"approve", "TASK-01"}
		case r.code != done && disturbed:
			next = j.again()
		case r.code != done:
			require.Fail(j, "stopped", "%v: exit %d\n%s%s%s", next, r.code, r.stdout, r.stderr, j.records())
		case next[0] == "approve":
			next = j.again()
		default:
			return
		}
	}
	require.Fail(j, "there is no end to it")
}

// again is the command that goes on.
func (j *journey) again() []string {
	return append([]string{"resume", "-o", "quiet"}, j.args...)
}

// process runs one process and wants it to execute no step that was finished
// when it began.
func (j *journey) process(do doing, args ...string) result {
	j.Helper()
	finished, before := j.finished(), len(j.executed())
	r := do(args...)
	for _, step := range j.executed()[before:] {
		require.NotContains(j, finished, step, "a finished step was executed again")
	}
	return r
}

// executed are the steps that stages were executed for, in order.
func (j *journey) executed() []string {
	j.Helper()
	b, err := os.ReadFile(j.path(".pipeline/steps"))
	if !os.IsNotExist(err) {
		require.NoError(j, err)
	}
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")[:strings.Count(string(b), "\n")]
}

// finished are the steps that the records say were finished, written as stages
// note them, each with how often it is said.
func (j *journey) finished() map[string]int {
	j.Helper()
	steps := map[string]int{}
	for _, e := range j.recorded() {
		if e.Type == "stage_finished" {
			steps[fmt.Sprintf("%s %s %d %d", e.Task, e.Stage, e.Attempt, max(1, e.Round))]++
		}
	}
	return steps
}

// event is what matters here of a line of a record.
type event struct {
	Type, Task, Stage string
	Attempt, Round    int
}

// recorded are the events of all sessions.
func (j *journey) recorded() []event {
	j.Helper()
	var all []event
	for line := range strings.Lines(j.records()) {
		if !strings.HasSuffix(line, "\n") {
			continue // torn
		}
		var e event
		require.NoError(j, json.Unmarshal([]byte(line), &e))
		all = append(all, e)
	}
	return all
}

// records are the lines of the sessions' records.
func (j *journey) records() string {
	j.Helper()
	files, err := filepath.Glob(j.path(".pipeline/sessions/*/events.jsonl"))
	require.NoError(j, err)
	var all strings.Builder
	for _, file := range files {
		b, err := os.ReadFile(file)
		require.NoError(j, err)
		all.Write(b)
	}
	return all.String()
}
