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
	Reverify  Reverify       `json:"reverify,omitempty"` // "" means Always
}

// Reverify says when a candidate that was put on another base is verified
// there before it lands.
type Reverify string

// The choices for Options.Reverify.
const (
	Always  Reverify = "always"
	Overlap Reverify = "overlap" // only if git had to merge files that both sides had changed
	Never   Reverify = "never"
)

const (
	defaultAttempts = 3
	defaultMaxWait  = 6 * time.Hour
	maxConflicts    = 3 // the third landing conflict of a TASK makes it FAILED
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

// Reverifies reports whether a candidate that was put on another base is to be
// verified there; merged tells whether git had to merge files for that.
func (o Options) Reverifies(merged bool) bool {
	return o.Reverify != Never && (o.Reverify != Overlap || merged)
}
