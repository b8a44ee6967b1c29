package envelope

// Kind is what a field holds.
type Kind string

// The kinds.
const (
	Text    Kind = "string"
	Bool    Kind = "boolean"
	Count   Kind = "integer"
	Texts   Kind = "array of strings"
	Objects Kind = "array of objects"
)

// Field is one field of a type.
type Field struct {
	Name     string
	Kind     Kind
	Required bool
	Enum     []string // all values that it may have; nil for any
	Says     string   // what belongs there
	Items    []Field  // of Objects: the fields of each
}

// String is a line about the field, such as "changed_files: array of strings".
func (f Field) String() string {
	s := f.Name + ": " + string(f.Kind)
	if f.Required {
		s += ", required"
	}
	if f.Says != "" {
		s += " (" + f.Says + ")"
	}
	return s
}

// base are the fields that every type begins with.
func base() []Field {
	return []Field{
		{Name: "status", Kind: Text, Required: true, Enum: []string{string(Success), string(Failure)}, Says: `"success" or "fail"`},
		{Name: "summary", Kind: Text, Says: "one sentence: what happened"},
		{Name: "artifacts", Kind: Texts, Says: "paths written, usually inside the context handoff folder"},
		{Name: "notes_for_next_agent", Kind: Text, Says: "what the next agent must know"},
	}
}

// Fields are the fields of a type, in the order in which they are told. It is
// nil for a type that is not known.
func (t Type) Fields() []Field {
	commitMessage := Field{Name: "commit_message", Kind: Text, Says: "imperative git subject of this work"}
	var own []Field
	switch t {
	case Generic:
	case Plan:
		own = []Field{commitMessage}
	case Build:
		own = []Field{{Name: "changed_files", Kind: Texts, Says: "paths created, modified or deleted, from the repository's root"}, commitMessage}
	case Scout:
		own = []Field{{Name: "findings", Kind: Objects, Says: "file and note of each", Items: []Field{
			{Name: "file", Kind: Text, Required: true},
			{Name: "note", Kind: Text, Says: "why this file matters"},
		}}}
	case Review:
		own = []Field{
			{Name: "approved", Kind: Bool, Says: "the verdict; status is only whether the review was made"},
			{Name: "findings", Kind: Objects, Says: "requirement, met and evidence of each", Items: []Field{
				{Name: "requirement", Kind: Text, Required: true},
				{Name: "met", Kind: Bool, Required: true},
				{Name: "evidence", Kind: Text, Says: "what shows it"},
			}},
			{Name: "blocking", Kind: Texts, Says: "what must change before approval"},
		}
	case Document:
		own = []Field{
			{Name: "document_path", Kind: Text, Says: "where the write-up is, from the repository's root"},
			{Name: "documented_files", Kind: Texts}, commitMessage,
		}
	case Verify:
		own = []Field{{Name: "passed", Kind: Bool}, {Name: "failures", Kind: Texts}}
	case Changes:
		own = []Field{
			{Name: "base", Kind: Text}, {Name: "changed_files", Kind: Texts}, {Name: "insertions", Kind: Count},
			{Name: "deletions", Kind: Count}, {Name: "stat", Kind: Text}, {Name: "diff_path", Kind: Text},
		}
	default:
		return nil
	}
	return append(base(), own...)
}
