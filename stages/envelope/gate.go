package envelope

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Check is one thing that a gate looked at.
type Check struct {
	Gate string `json:"gate"`
	Item string `json:"item"` // what was looked at
	OK   bool   `json:"ok"`
	Note string `json:"note,omitempty"` // what was found
}

// Gate holds what an envelope claims against what is so.
type Gate struct {
	Name  string
	Check func(context.Context, Envelope, Facts) []Check
}

// Facts are what gates may look at. A function that is nil tells nothing, and
// what it would tell is not looked at.
type Facts struct {
	Workspace  string // absolute
	SessionDir string // the session's folder; "" if there is none
	HandoffDir string // its context_handoff folder; "" if there is none
	Base       string // the commit that the workspace began at

	Head   func(context.Context) (string, error)
	Differ func(ctx context.Context, paths []string) ([]string, error) // those of the paths that differ from Base
	Run    func(ctx context.Context, argv []string) (exit int, output string, err error)
}

// gates are all gates by name, in the order in which they run.
func gates() []Gate {
	return []Gate{
		{"artifacts_in_tree", artifactsInTree},
		{"artifacts_exist", artifactsExist},
		{"artifacts_non_empty", artifactsNonEmpty},
		{"json_parses", jsonParses},
		{"changes_in_diff", changesInDiff},
		{"nothing_committed", nothingCommitted},
		{"verdict_consistent", verdictConsistent},
		{"tests_pass", noTests},
	}
}

// Names are the names of all gates.
func Names() []string {
	var names []string
	for _, g := range gates() {
		names = append(names, g.Name)
	}
	return names
}

// Defaults are the gates that hold for a type where nothing is configured.
func Defaults(t Type) []string {
	names := []string{"artifacts_in_tree", "artifacts_exist", "artifacts_non_empty", "nothing_committed"}
	switch t {
	case Build, Document:
		names = append(names, "changes_in_diff")
	case Review:
		names = append(names, "verdict_consistent")
	}
	return names
}

// Choose returns the gates for a type: its defaults, with each "name" of
// configured added and each "-name" left out.
func Choose(t Type, configured []string) ([]Gate, error) {
	chosen := Defaults(t)
	for _, entry := range configured {
		name, out := strings.CutPrefix(entry, "-")
		if !slices.Contains(Names(), name) {
			return nil, fmt.Errorf("there is no gate %q; there are %s", name, strings.Join(Names(), ", "))
		}
		chosen = slices.DeleteFunc(chosen, func(n string) bool { return n == name })
		if !out {
			chosen = append(chosen, name)
		}
	}
	return slices.DeleteFunc(gates(), func(g Gate) bool { return !slices.Contains(chosen, g.Name) }), nil
}

// RunGates runs gates over an envelope and returns everything that they looked
// at. A gate that panics has refused. When ctx ends, the rest is not run: the
// caller looks at ctx.
func RunGates(ctx context.Context, gates []Gate, e Envelope, f Facts) []Check {
	var all []Check
	for _, g := range gates {
		if ctx.Err() != nil {
			return all
		}
		all = append(all, g.run(ctx, e, f)...)
	}
	return all
}

func (g Gate) run(ctx context.Context, e Envelope, f Facts) (checks []Check) {
	defer func() {
		if p := recover(); p != nil {
			checks = []Check{{Note: fmt.Sprintf("the gate broke down: %v", p)}}
		}
		for i := range checks {
			checks[i].Gate = g.Name
			if checks[i].Item == "" {
				checks[i].Item = g.Name
			}
		}
	}()
	return g.Check(ctx, e, f)
}

// TestsPass is a gate that runs a command in the workspace.
func TestsPass(argv ...string) Gate {
	return Gate{"tests_pass", func(ctx context.Context, _ Envelope, f Facts) []Check {
		item := strings.Join(argv, " ")
		if len(argv) == 0 {
			return noTests(ctx, nil, f)
		}
		if f.Run == nil {
			return []Check{{Item: item, Note: "there is nothing to run it with"}}
		}
		exit, output, err := f.Run(ctx, argv)
		switch {
		case err != nil:
			return []Check{{Item: item, Note: err.Error()}}
		case exit != 0:
			return []Check{{Item: item, Note: strings.TrimSpace(fmt.Sprintf("exit status %d\n%s", exit, output))}}
		}
		return []Check{{Item: item, OK: true}}
	}}
}

// noTests stands where tests_pass is chosen and no tests are named.
func noTests(context.Context, Envelope, Facts) []Check {
	return []Check{{Item: "tests", Note: "no tests are configured: name them under quality in pipeline.yaml"}}
}
