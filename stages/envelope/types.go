package envelope

// Type names an output type. Which type an agent replies with is fixed by what
// it is called for, never by the configuration.
type Type string

// The types.
const (
	Generic  Type = "GenericOutput"
	Plan     Type = "PlanOutput"
	Build    Type = "BuildOutput"
	Scout    Type = "ScoutOutput"
	Review   Type = "ReviewOutput"
	Document Type = "DocumentOutput"
	Verify   Type = "VerifyOutput"  // made by code, of commands' results
	Changes  Type = "ChangesOutput" // made by code, of a diff
)

// Types are all types.
func Types() []Type {
	return []Type{Generic, Plan, Build, Scout, Review, Document, Verify, Changes}
}

// Status is what an agent says of its own work.
type Status string

// The two statuses, as they are spelled in JSON.
const (
	Success Status = "success"
	Failure Status = "fail"
)

// Envelope is a typed reply. Its values are the eight structs below.
type Envelope interface {
	Common() Base
	Type() Type
}

// Base is what every type begins with.
type Base struct {
	Status            Status   `json:"status"`
	Summary           string   `json:"summary"`
	Artifacts         []string `json:"artifacts"` // paths written, relative to the workspace or to context_handoff/, or absolute
	NotesForNextAgent string   `json:"notes_for_next_agent"`
}

// Common returns the base.
func (b Base) Common() Base { return b }

// GenericOutput is the reply of an agent that no sharper type is made for.
type GenericOutput struct{ Base }

// PlanOutput is a planner's reply.
type PlanOutput struct {
	Base
	CommitMessage string `json:"commit_message"` // of the commit of the plan itself
}

// BuildOutput is a builder's reply.
type BuildOutput struct {
	Base
	ChangedFiles  []string `json:"changed_files"` // relative to the repository's root
	CommitMessage string   `json:"commit_message"`
}

// ScoutOutput is the reply of an agent that was to find something.
type ScoutOutput struct {
	Base
	Findings []ScoutFinding `json:"findings"`
}

// ScoutFinding is one place, and why it matters.
type ScoutFinding struct {
	File string `json:"file"`
	Note string `json:"note"`
}

// ReviewOutput is a verifier's reply. Its status tells only whether the review
// was made; Approved is the verdict.
type ReviewOutput struct {
	Base
	Approved bool            `json:"approved"`
	Findings []ReviewFinding `json:"findings"`
	Blocking []string        `json:"blocking"` // what must change before approval
}

// ReviewFinding is what was found of one requirement.
type ReviewFinding struct {
	Requirement string `json:"requirement"`
	Met         bool   `json:"met"`
	Evidence    string `json:"evidence"`
}

// DocumentOutput is a documenter's reply.
type DocumentOutput struct {
	Base
	DocumentPath    string   `json:"document_path"`
	DocumentedFiles []string `json:"documented_files"`
	CommitMessage   string   `json:"commit_message"`
}

// VerifyOutput is what commands said of the work, shaped as a reply.
type VerifyOutput struct {
	Base
	Passed   bool     `json:"passed"`
	Failures []string `json:"failures"` // one for each command that failed: its name, its end, its output's end
}

// ChangesOutput is a diff, shaped as a reply.
type ChangesOutput struct {
	Base
	Against      string   `json:"base"` // the commit that it is a diff from
	ChangedFiles []string `json:"changed_files"`
	Insertions   int      `json:"insertions"` // lines
	Deletions    int      `json:"deletions"`  // lines
	Stat         string   `json:"stat"`
	DiffPath     string   `json:"diff_path"` // where the whole diff is; "" if it was not kept
}

// Type returns Generic.
func (GenericOutput) Type() Type { return Generic }

// Type returns Plan.
func (PlanOutput) Type() Type { return Plan }

// Type returns Build.
func (BuildOutput) Type() Type { return Build }

// Type returns Scout.
func (ScoutOutput) Type() Type { return Scout }

// Type returns Review.
func (ReviewOutput) Type() Type { return Review }

// Type returns Document.
func (DocumentOutput) Type() Type { return Document }

// Type returns Verify.
func (VerifyOutput) Type() Type { return Verify }

// Type returns Changes.
func (ChangesOutput) Type() Type { return Changes }
