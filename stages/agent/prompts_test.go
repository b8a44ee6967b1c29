package agent_test

import (
	"encoding/json"
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages/agent"
	"github.com/taskpipeline/pipeline/stages/envelope"
	"github.com/taskpipeline/pipeline/window"
)

// templates calls each for every default template.
func templates(t *testing.T, each func(path, text string)) {
	t.Helper()
	n := 0
	require.NoError(t, fs.WalkDir(agent.Templates(), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := fs.ReadFile(agent.Templates(), path)
		each(path, string(b))
		n++
		return err
	}))
	require.Equal(t, 12, n, "builder, verifier, planner, scout, reviewer, documenter")
}

// headings are the lines that begin with so many #.
func headings(text string, level int) []string {
	var out []string
	for _, m := range regexp.MustCompile(`(?m)^(#+) (.*)$`).FindAllStringSubmatch(text, -1) {
		if len(m[1]) == level {
			out = append(out, m[2])
		}
	}
	return out
}

func TestSystemTemplateHasPurposeAndInstructionsOnly(t *testing.T) {
	t.Parallel()
	templates(t, func(path, text string) {
		if strings.HasSuffix(path, "system.md") {
			require.Equal(t, []string{"Purpose", "Instructions"}, headings(text, 1), path)
			require.NotContains(t, text, "{{", "it is static: %s", path)
		}
	})
}

func TestUserTemplateDeclaresItsDataThenTheTaskThenTheReport(t *testing.T) {
	t.Parallel()
	templates(t, func(path, text string) {
		if !strings.HasSuffix(path, "user.md") {
			return
		}
		variables, _, _ := strings.Cut(text, "## Task")
		for _, name := range headings(variables, 3) {
			require.Contains(t, variables, "### "+name+"\n\n{{"+name+"}}\n", path)
		}
		for _, needed := range []string{"prompt", "previous_envelope", "context_handoff_dir"} {
			require.Contains(t, headings(variables, 3), needed, path)
		}
		require.Less(t, strings.Index(text, "## Variables"), strings.Index(text, "## Task"), path)
		require.Less(t, strings.Index(text, "## Task"), strings.Index(text, "## Report"), path)
		require.True(t, strings.HasSuffix(text, "{{report}}\n"), path)
	})
}

func TestReplyThatAPromptShowsIsValid(t *testing.T) {
	t.Parallel()
	for stage, typ := range map[dispatch.Stage]envelope.Type{dispatch.Builder: envelope.Build, dispatch.Verifier: envelope.Review} {
		d := at(t, "claude", stage).will(turn{Say: map[dispatch.Stage]string{dispatch.Builder: built("s"), dispatch.Verifier: approved}[stage]})
		d.does()
		_, report, _ := strings.Cut(d.calls()[0].Stdin, "## Report")
		_, _, err := envelope.Find(typ, []byte(report))
		require.NoError(t, err)
	}
}

func TestPlaceholdersAreReplacedInOnePass(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Builder).says(built("s"))
	d.exec.Prompts = fstest.MapFS{"builder/user.md": {Data: []byte("P={{prompt}} E={{previous_envelope}} H={{context_handoff_dir}} U={{unknown}} {{ prompt }}\n")}}
	d.req.Dispatch.Spec.Title = "{{previous_envelope}} {{report}} {{unknown}}"
	d.does()
	require.Equal(t, "P=TASK-01: {{previous_envelope}} {{report}} {{unknown}} E=(none) H="+d.req.HandoffDir+" U={{unknown}} {{ prompt }}\n", d.calls()[0].Stdin)
}

func TestPreviousEnvelopeIsThatOfTheStageBefore(t *testing.T) {
	t.Parallel()
	reply := json.RawMessage(`{"status":"success","summary":"was built","changed_files":[]}`)
	d := at(t, "claude", dispatch.Verifier).says(approved)
	d.req.Previous = &dispatch.Result{Status: dispatch.Pass, Envelope: reply}
	d.does()
	require.Contains(t, d.calls()[0].Stdin, "### previous_envelope\n\n{\n  \"status\": \"success\",\n  \"summary\": \"was built\"")

	d = at(t, "claude", dispatch.Verifier).says(approved)
	d.req.Previous = &dispatch.Result{Status: dispatch.Pass, Summary: "in XML", Handoff: &window.Handoff{What: "w", Caution: "mind"}}
	d.does()
	_, rest, _ := strings.Cut(d.calls()[0].Stdin, "### previous_envelope")
	rest, _, _ = strings.Cut(rest, "###")
	e, _, err := envelope.Find(envelope.Generic, []byte(rest))
	require.NoError(t, err)
	require.Equal(t, envelope.Base{Status: envelope.Success, Summary: "in XML", Artifacts: []string{}, NotesForNextAgent: "mind"}, e.Common())
}

func TestVerifierIsShownWhatReallyChangedAndWhatTheChecksSaid(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Verifier).says(approved)
	d.req.Snapshot = "abc"
	d.req.Quality = json.RawMessage(`{"status":"success","passed":true}`)
	d.does()
	prompt := d.calls()[0].Stdin
	_, changes, _ := strings.Cut(prompt, "### changes")
	changes, _, _ = strings.Cut(changes, "###")
	e, _, err := envelope.Find(envelope.Changes, []byte(changes))
	require.NoError(t, err)
	require.Equal(t, []string{"a.go"}, e.(envelope.ChangesOutput).ChangedFiles)
	require.Equal(t, "+the patch\n", text(e.(envelope.ChangesOutput).DiffPath))
	require.Contains(t, prompt, "### quality\n\n{\n  \"status\": \"success\",\n  \"passed\": true\n}")
}

func TestTemplateThatCannotBeReadIsAnErrorBeforeAnythingRuns(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Builder)
	d.exec.Prompts = fstest.MapFS{"verifier/user.md": {Data: []byte("\xff")}}
	require.EqualError(t, d.exec.Ready(d.req.Spec), `executor "mine": prompts: the template verifier/user.md is not valid UTF-8`)
	d.exec.Prompts = fstest.MapFS{"builder/system.md": {Data: make([]byte, 64<<10+1)}}
	require.ErrorContains(t, d.exec.Ready(d.req.Spec), "the template builder/system.md has 65537 bytes, at most 65536 are allowed")
	d.exec.Prompts, d.exec.Gates = nil, []string{"artefacts"}
	require.ErrorContains(t, d.exec.Ready(d.req.Spec), `there is no gate "artefacts"; there are artifacts_in_tree, `)
}

func TestOneSystemPromptServesManyUses(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Builder).says(`{"status":"success","artifacts":[]}`)
	d.exec.Prompts = fstest.MapFS{"planner/system.md": {Data: []byte("be brief")}}
	d.req.Step.Task, d.req.Dispatch.Task = "", ""
	env, resp, err := d.exec.Call(t.Context(), d.req, "planner", "Plan a {{report}} page")
	require.NoError(t, err)
	require.Equal(t, dispatch.Pass, resp.Status)
	require.Equal(t, envelope.Plan, env.Type())
	c := d.calls()[0]
	require.True(t, c.has("--append-system-prompt", "be brief"))
	require.Contains(t, c.Stdin, "Plan a {{report}} page")
	require.Contains(t, c.Stdin, "PlanOutput")
}
