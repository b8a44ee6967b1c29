package scheduler

import (
	"time"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
	"github.com/taskpipeline/pipeline/window"
)

// Step names one execution of a stage.
type Step = stages.Step

// Version is the version of the event format that this package writes.
const Version = 1

// Type is the kind of an event.
type Type string

// Facts. The Plan is folded from these and from nothing else.
const (
	RunStarted      Type = "run_started"      // Tasks, Config
	RunJoined       Type = "run_joined"       // a later run of the same session; nothing is running
	TaskRespecified Type = "task_respecified" // Spec, Reason (changed, added, removed)
	StageStarted    Type = "stage_started"    // Base
	StageFinished   Type = "stage_finished"   // Status, Reason, Result, Snapshot (builder), Candidate (committer)
	LandingFinished Type = "landing_finished" // Outcome and its details
	WaitStarted     Type = "wait_started"     // For, Until, State
	WaitEnded       Type = "wait_ended"       // For
	Command         Type = "command"          // Verb, Reason, From
)

// Conclusions. Written for readers, never folded; on replay they are compared
// with what the Plan concludes.
const (
	TaskStarted Type = "task_started"
	TaskLanded  Type = "task_landed" // Commit, Base, Tree
	TaskFailed  Type = "task_failed" // Reason
	TaskSkipped Type = "task_skipped"
	RunHalted   Type = "run_halted"
	RunFinished Type = "run_finished" // Verdict, Totals
)

// Evidence. Ignored by the Plan.
const (
	AgentSent    Type = "agent_sent"
	AgentReplied Type = "agent_replied"
	AgentTool    Type = "agent_tool" // what an agent does, as it does it
	AgentText    Type = "agent_text" // what it says meanwhile
	Warning      Type = "warning"    // Reason
)

// Event is one line of a session's record, events.jsonl. Fields that do not
// belong to an event's type are absent. Readers ignore unknown types and fields.
type Event struct {
	V    int       `json:"v"`
	Seq  int64     `json:"seq"` // from 1, without gaps
	Time time.Time `json:"time"`
	Type Type      `json:"type"`

	Task    tasks.ID       `json:"task,omitempty"`
	Stage   dispatch.Stage `json:"stage,omitempty"`
	Attempt int            `json:"attempt,omitempty"`
	Round   int            `json:"round,omitempty"` // from the second round on

	Found bool `json:"found,omitempty"` // derived from facts found outside, by Reconcile

	Status  dispatch.Status `json:"status,omitempty"`  // stage_finished
	Reason  string          `json:"reason,omitempty"`  // why it failed, was skipped, rejected, respecified
	Outcome Outcome         `json:"outcome,omitempty"` // landing_finished
	Verb    Verb            `json:"verb,omitempty"`    // command
	From    string          `json:"from,omitempty"`    // command retry: "verifier" or "clean"; reject: "final"
	Request string          `json:"request,omitempty"` // command: id of the request that asked for it
	For     WaitFor         `json:"for,omitempty"`     // wait_started, wait_ended
	Verdict Verdict         `json:"verdict,omitempty"` // run_finished

	Base      stages.Hash      `json:"base,omitempty"`      // stage_started: commit the step works on
	Result    *dispatch.Result `json:"result,omitempty"`    // stage_finished
	Usage     *stages.Usage    `json:"usage,omitempty"`     // stage_finished, wait_started: since the step began or went on
	Millis    int64            `json:"ms,omitempty"`        // stage_finished: duration in milliseconds
	Snapshot  *stages.Snapshot `json:"snapshot,omitempty"`  // stage_finished of a builder
	Progress  string           `json:"progress,omitempty"`  // stage_finished FAIL of a committer: the existing progress.md
	Lost      bool             `json:"lost,omitempty"`      // stage_finished FAIL: the workspace is gone
	Executor  string           `json:"executor,omitempty"`  // stage_started, stage_finished: its configured name
	Continues bool             `json:"continues,omitempty"` // stage_started: cut off, it goes on in the workspace as it is then
	Hashes    *Hashes          `json:"sha256,omitempty"`    // stage_finished: of the step's two files

	Commit stages.Hash `json:"commit,omitempty"` // stage_finished of a committer: the candidate; landed: the commit
	Onto   stages.Hash `json:"onto,omitempty"`   // landing moved, conflict, unfit: the branch's new tip, or a candidate
	Tree   stages.Hash `json:"tree,omitempty"`   // landing moved: the merged tree; task_landed: the landed tree
	With   string      `json:"with,omitempty"`   // landing conflict, unfit: a TASK or a short commit hash; moved: the TASK whose candidate Onto is
	Paths  []string    `json:"paths,omitempty"`  // landing conflict, unfit, blocked: in the way; moved: changed on both sides and merged by git

	Until *time.Time   `json:"until,omitempty"` // wait_started
	State stages.State `json:"state,omitempty"` // wait_started: for the executor

	Data map[string]any `json:"data,omitempty"` // evidence

	Session string     `json:"session,omitempty"` // run_started, run_joined
	Work    string     `json:"work,omitempty"`    // run_started: the plan's name
	Title   string     `json:"title,omitempty"`   // run_started: the plan's title
	Branch  string     `json:"branch,omitempty"`  // run_started: the target branch
	Folder  string     `json:"folder,omitempty"`  // run_started: the tasks folder, as given
	Config  *Options   `json:"config,omitempty"`  // run_started, run_joined: what the Plan goes by
	Flags   Flags      `json:"flags,omitempty"`   // run_started, run_joined: settings that were typed
	Tasks   []TaskSpec `json:"tasks,omitempty"`   // run_started; run_joined: those whose locks or approval changed
	Spec    *TaskSpec  `json:"spec,omitempty"`    // task_respecified
	Totals  *Totals    `json:"totals,omitempty"`  // run_finished
}

// Flags are settings of the command line by their configuration key, such as
// "stages.verifier". A run that goes on with the session goes by them, too.
type Flags map[string]string

// Hashes are the sha256 sums, in hexadecimal, of a step's dispatch and
// task-result files.
type Hashes struct {
	Dispatch string `json:"dispatch"`
	Result   string `json:"task_result"`
}

// Outcome is how a landing ended.
type Outcome string

// The outcomes of a landing.
const (
	Landed   Outcome = "landed"
	Moved    Outcome = "moved"
	Conflict Outcome = "conflict"
	Blocked  Outcome = "blocked"
	Unfit    Outcome = "unfit" // collides with a candidate that has not landed: it waits until that has
)

// Verb is what a person asked of a session.
type Verb string

// The verbs of a command event.
const (
	Approve Verb = "approve"
	Reject  Verb = "reject"
	RetryIt Verb = "retry"
	Skip    Verb = "skip"
	Stop    Verb = "stop"
)

// WaitFor is what a TASK waits for.
type WaitFor string

// The waits.
const (
	ForRateLimit WaitFor = "rate_limit"
	ForApproval  WaitFor = "approval"
	ForBlocked   WaitFor = "blocked"
	ForBudget    WaitFor = "budget" // what the session may spend is spent
)

// inStage tells whether it is a step that waits, in the middle of its work.
func (w WaitFor) inStage() bool { return w == ForRateLimit || w == ForBudget }

// Initial is the state in which a TASK enters a session.
type Initial string

// The initial states.
const (
	AsNew   Initial = "new"
	AsDone  Initial = "done"  // its result.md on the branch says so
	AsStale Initial = "stale" // it was done for another spec
	AsLeft  Initial = "left"  // not asked for in this run
)

// TaskSpec is what a session knows of a TASK: enough to replay its record
// without the tasks folder.
type TaskSpec struct {
	ID      tasks.ID        `json:"id"`
	Title   string          `json:"title"`
	File    string          `json:"file"`
	Deps    []tasks.ID      `json:"deps,omitempty"`
	Hash    string          `json:"hash"` // the TASK's SpecHash
	Locks   []string        `json:"locks,omitempty"`
	Approve bool            `json:"approve,omitempty"`
	State   Initial         `json:"state"`
	Reason  string          `json:"reason,omitempty"` // why it is stale, done or left
	Commit  stages.Hash     `json:"commit,omitempty"` // of a done one, when known
	Handoff *window.Handoff `json:"handoff,omitempty"`
	Again   bool            `json:"again,omitempty"`   // stale although its result.md is for this spec: forced, or downstream
	Removed bool            `json:"removed,omitempty"` // task_respecified: the file is gone
}

// Totals count the TASKs of a run by how they ended.
type Totals struct {
	Done        int `json:"done"`
	Failed      int `json:"failed"`
	Skipped     int `json:"skipped,omitempty"`
	Waiting     int `json:"waiting,omitempty"`
	NotStarted  int `json:"not_started"` // not begun
	UpToDate    int `json:"up_to_date,omitempty"`
	Interrupted int `json:"interrupted,omitempty"` // begun, neither landed nor failed
}
