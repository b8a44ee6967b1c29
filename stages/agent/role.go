package agent

import (
	"fmt"

	"github.com/taskpipeline/pipeline/stages/envelope"
)

// role is what an agent is used for: its prompts, and the type of its reply.
type role struct {
	name     string
	output   envelope.Type
	readOnly bool // it may look at the workspace and not change it
}

// roles are all that have prompts of their own.
func roles() []role {
	return []role{
		{"builder", envelope.Build, false},
		{"verifier", envelope.Review, true},
		{"planner", envelope.Plan, false},
		{"scout", envelope.Scout, true},
		{"reviewer", envelope.Review, true},
		{"documenter", envelope.Document, false},
	}
}

func roleOf(name string) (role, error) {
	for _, r := range roles() {
		if r.name == name {
			return r, nil
		}
	}
	return role{}, fmt.Errorf("an agent cannot be a %q", name)
}
