package scheduler

import (
	"time"

	"github.com/taskpipeline/pipeline/window"
)

// Options are what a Plan goes by. They are part of the record: run_started
// and run_joined carry them. The zero value works: three attempts, the default
// window, halt at the first FAILED TASK.
type Options struct {
	Attempts  int            `json:"attempts,omitempty"` // FAILs a TASK may have; 0 means 3
	KeepGoing bool           `json:"keep_going,omitempty"`
	FailFast  bool           `json:"fail_fast,omitempty"`
	Window    window.Borders `json:"window"`
	MaxWait   time.Duration  `json:"max_wait,omitempty"` // for rate limits, in all, per TASK and run; 0 means 6 hours
}

const (
	defaultAttempts = 3
	defaultMaxWait  = 6 * time.Hour
	maxConflicts    = 3 // the third landing conflict of a TASK makes it FAILED
	holdAfterMoves  = 3 // a TASK moved so often holds the branch until it lands or fails
)

func (o Options) attempts() int {
	if o.Attempts > 0 {
		return o.Attempts
	}
	return defaultAttempts
}

func (o Options) maxWait() time.Duration {
	if o.MaxWait > 0 {
		return o.MaxWait
	}
	return defaultMaxWait
}
