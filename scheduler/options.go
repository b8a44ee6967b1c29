package scheduler

import (
	"time"

	"github.com/taskpipeline/pipeline/window"
)

// Options are what the Plan goes by. The zero value works: three attempts,
// the default window, halt on the first FAILED TASK.
type Options struct {
	Attempts  int            `json:"attempts,omitempty"` // per TASK; 0 means 3
	KeepGoing bool           `json:"keep_going,omitempty"`
	FailFast  bool           `json:"fail_fast,omitempty"`
	Window    window.Borders `json:"window"`
	MaxWait   time.Duration  `json:"max_wait,omitempty"` // for rate limits, in all, per TASK; 0 means 6 hours
}
