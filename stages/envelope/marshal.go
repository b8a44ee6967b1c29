package envelope

import (
	"bytes"
	"encoding/json"
)

// Marshal writes an envelope as indented JSON, in the order of its fields. An
// empty list is [] and never null.
func Marshal(e Envelope) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(whole(e)); err != nil {
		panic(err) // strings, numbers and lists of them
	}
	return bytes.TrimSpace(b.Bytes())
}

// whole is the envelope with every list made.
func whole(e Envelope) Envelope {
	switch v := e.(type) {
	case GenericOutput:
		v.Base = v.Base.whole()
		return v
	case PlanOutput:
		v.Base = v.Base.whole()
		return v
	case BuildOutput:
		v.Base, v.ChangedFiles = v.Base.whole(), made(v.ChangedFiles)
		return v
	case ScoutOutput:
		v.Base, v.Findings = v.Base.whole(), made(v.Findings)
		return v
	case ReviewOutput:
		v.Base, v.Findings, v.Blocking = v.Base.whole(), made(v.Findings), made(v.Blocking)
		return v
	case DocumentOutput:
		v.Base, v.DocumentedFiles = v.Base.whole(), made(v.DocumentedFiles)
		return v
	case VerifyOutput:
		v.Base, v.Failures = v.Base.whole(), made(v.Failures)
		return v
	case ChangesOutput:
		v.Base, v.ChangedFiles = v.Base.whole(), made(v.ChangedFiles)
		return v
	}
	return e
}

func (b Base) whole() Base {
	b.Artifacts = made(b.Artifacts)
	return b
}

func made[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// Example is a reply of the type that shows its exact shape, for a prompt. It
// is valid itself.
func (t Type) Example() string {
	done := Base{Status: Success, Summary: "<one sentence: what happened>", NotesForNextAgent: "<what the next agent must know>"}
	subject := "<imperative git subject of this work>"
	var e Envelope
	switch t {
	case Plan:
		done.Artifacts = []string{"<path of a TASK file>"}
		e = PlanOutput{done, subject}
	case Build:
		e = BuildOutput{done, []string{"<path from the repository's root>"}, subject}
	case Scout:
		e = ScoutOutput{done, []ScoutFinding{{"<path>", "<why this file matters>"}}}
	case Review:
		done.Summary = "<one sentence: the verdict>"
		e = ReviewOutput{done, true, []ReviewFinding{{"<a requirement>", true, "<what shows it>"}}, nil}
	case Document:
		e = DocumentOutput{done, "<path of the write-up>", []string{"<path>"}, subject}
	case Verify:
		e = VerifyOutput{done, true, nil}
	case Changes:
		e = ChangesOutput{Base: done, Against: "<commit>", ChangedFiles: []string{"<path>"}}
	default:
		e = GenericOutput{done}
	}
	return string(Marshal(e))
}
