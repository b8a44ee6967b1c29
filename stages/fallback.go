package stages

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/taskpipeline/pipeline/tasks"
)

// maxRefusals is how many waits in a row an executor asks for before the next
// one is turned to.
const maxRefusals = 3

// Fallback is the first of the executors as long as its provider answers. One
// that asks to wait three times in a row, or longer than maxWait in all, is
// given up for this step and the next one does it, from its start, in the
// workspace as it is. The last one is never given up. A wait for a budget
// counts for none of this.
func Fallback(maxWait time.Duration, executors ...Executor) Executor {
	if len(executors) == 1 {
		return executors[0]
	}
	return fallback{maxWait, executors}
}

type fallback struct {
	maxWait   time.Duration
	executors []Executor
}

// turn is whose turn it is; it travels in the Wait, around the state of the
// executor itself.
type turn struct {
	At       int           `json:"at"`
	Refusals int           `json:"refusals,omitempty"` // waits in a row
	Waited   time.Duration `json:"waited,omitempty"`
	State    State         `json:"state,omitempty"`
}

func (f fallback) Execute(ctx context.Context, req Request) (Response, error) {
	var t turn
	if req.Resume != nil {
		if err := json.Unmarshal(req.Resume, &t); err != nil || t.At < 0 || t.At >= len(f.executors) {
			return Response{}, fmt.Errorf("the state of an earlier wait does not fit the configured executors: %w", errors.Join(err, errState))
		}
	}
	var used Usage
	for {
		req.Resume = t.State
		resp, err := f.executors[t.At].Execute(ctx, req)
		used = used.Plus(resp.Usage)
		resp.Usage = used
		if err != nil || resp.Wait == nil {
			return resp, err
		}
		if !resp.Wait.Budget {
			t.Refusals++
			t.Waited += max(0, time.Until(resp.Wait.Until))
		}
		t.State = resp.Wait.State
		if last := t.At == len(f.executors)-1; last || t.Refusals < maxRefusals && t.Waited <= f.maxWait {
			wait := *resp.Wait
			if wait.State, err = json.Marshal(t); err != nil {
				return resp, err
			}
			resp.Wait = &wait
			return resp, nil
		}
		text := fmt.Sprintf("its provider does not answer (%s): fallback %d of %d takes over", resp.Wait.Reason, t.At+1, len(f.executors)-1)
		if err := req.Sink.Evidence(Evidence{Type: "warning", Text: text}); err != nil {
			return resp, err
		}
		t = turn{At: t.At + 1}
		req.Interrupted = false
	}
}

var errState = errors.New("start the TASK anew with `pipeline retry --clean`")

// Ready asks them all: a fallback that is not there is no fallback.
func (f fallback) Ready(task tasks.Task) error {
	for _, e := range f.executors {
		if err := Ready(e, task); err != nil {
			return err
		}
	}
	return nil
}

func (f fallback) Continues() bool { return Continues(f.executors[0]) }
