package dispatch

// shape says what an element holds: known children, by name, or, when nil,
// text and nothing else. What is inside a text is never structure.
type shape map[string]shape

// resultShape is the shape of a `<task-result>`.
func resultShape() shape {
	checks := shape{"check": nil}
	return shape{
		"summary":         nil,
		"files-changed":   {"file": nil},
		"self-check":      checks,
		"verification":    checks,
		"failure-details": {"failure": {"error": nil, "file": nil, "suggested-fix": nil}},
		"notes":           nil,
		"context-handoff": {"what": nil, "why": nil, "caution": nil, "incomplete": nil},
		"commit":          {"hash": nil, "message": nil, "type": nil},
	}
}
