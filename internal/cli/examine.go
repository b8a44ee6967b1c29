package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"

	"github.com/taskpipeline/pipeline/internal/config"
	"github.com/taskpipeline/pipeline/internal/gitrepo"
)

// examine makes all checks of doctor. One that needs what another did not find
// is left out.
func (p *Process) examine(ctx context.Context) []finding {
	var all []finding
	add := func(f ...finding) { all = append(all, f...) }

	pr, err := p.project(ctx)
	committer := false
	if err != nil {
		add(failing("repository", err))
	} else {
		who := p.identity(ctx, pr.repo.Root())
		committer = who.State == fine
		add(finding{Check: "repository", State: fine, Text: pr.repo.Root()}, who)
	}

	f, err := p.open("")
	if f == nil {
		add(failing("config", err))
		return append(all, p.leftovers(ctx, pr)...)
	}
	add(finding{Check: "config", State: fine, Text: orDefaults(p, f.Config)})
	add(f.soundness(err))
	if f.Graph != nil {
		add(p.programs(f)...)
	}
	if committer && f.reachable() { // else the same would be said twice
		add(buildable(ctx, p, f))
	}
	return append(all, p.leftovers(ctx, pr)...)
}

// failing makes a finding of an error, with the fix that it carries.
func failing(check string, err error) finding {
	f := finding{Check: check, State: missing, Text: err.Error()}
	var bad *fault
	if errors.As(err, &bad) {
		f.Fix = bad.next
		if len(bad.more) > 0 {
			f.Text += fmt.Sprintf(" (and %d more)", len(bad.more))
		}
	}
	return f
}

func orDefaults(p *Process, c config.Config) string {
	if c.File == "" {
		return "no pipeline.yaml; defaults"
	}
	return p.typed(c.File)
}

// identity is who commits.
func (p *Process) identity(ctx context.Context, root string) finding {
	// useConfigOnly: git would else make an address up from the host's name.
	git := exec.CommandContext(ctx, "git", "-C", root, "-c", "user.useConfigOnly=true", "var", "GIT_COMMITTER_IDENT")
	git.Env = p.Environ
	out, err := git.Output()
	if err != nil {
		return finding{
			Check: "identity", State: missing,
			Text: "git does not know who commits (user.name, user.email)",
			Fix:  `git config --global user.name "Your Name" && git config --global user.email you@example.com`,
		}
	}
	who, _, _ := strings.Cut(string(out), ">")
	return finding{Check: "identity", State: fine, Text: who + ">"}
}

// reachable tells whether the folder is there to be looked at.
func (f *folder) reachable() bool { return f.Graph != nil || len(f.Problems) > 0 }

// soundness is the state of the tasks folder.
func (f *folder) soundness(err error) finding {
	switch {
	case err != nil:
		bad := failing("tasks", err)
		if errors.Is(err, errNothing) {
			bad.State = warned
		}
		return bad
	case f.Graph == nil:
		return finding{Check: "tasks", State: missing, Text: f.verdict(), Fix: "pipeline validate " + f.Name}
	case len(f.Problems) > 0:
		return finding{Check: "tasks", State: warned, Text: f.verdict(), Fix: "pipeline validate " + f.Name}
	}
	return finding{Check: "tasks", State: fine, Text: f.verdict()}
}

// programs checks every executor that a stage of a TASK needs.
func (p *Process) programs(f *folder) []finding {
	root, _ := gitRoot(p.Dir)
	executors := workshop{p: p, config: f.Config, root: root, mask: p.mask(f.Config)}.executors()
	first := map[string]error{}
	unable := map[string]int{}
	for t := range f.Graph.All() {
		builder, verifier := f.executors(&t)
		for _, name := range [...]string{builder, verifier} {
			err := able(executors, name, t)
			if err != nil {
				unable[name]++
			}
			if first[name] == nil {
				first[name] = err
			}
		}
	}
	var all []finding
	for _, name := range slices.Sorted(maps.Keys(first)) {
		if n := unable[name]; n > 0 {
			all = append(all, finding{
				Check: "executor", State: missing,
				Text: fmt.Sprintf("%v (needed by %s)", first[name], plural(n, "stage")),
				Fix:  "pipeline validate " + f.Name,
			})
			continue
		}
		all = append(all, finding{Check: "executor", State: fine, Text: name})
	}
	return all
}

// buildable asks git whether a run could start here.
func buildable(ctx context.Context, p *Process, f *folder) finding {
	repo, err := gitrepo.Open(ctx, gitrepo.Config{
		Dir:       p.Dir,
		Branch:    f.Config.Branch,
		Session:   "doctor",
		TasksDir:  f.Dir,
		Isolation: gitrepo.Isolation(f.Config.Isolation),
	})
	if err != nil {
		return failing("branch", refusal(err))
	}
	return finding{Check: "branch", State: fine, Text: repo.Branch()}
}
