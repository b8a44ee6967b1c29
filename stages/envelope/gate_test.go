package envelope_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/stages/envelope"
)

// gate is one gate by name.
func gate(t *testing.T, name string) envelope.Gate {
	t.Helper()
	gates, err := envelope.Choose(envelope.Generic, []string{"-artifacts_in_tree", "-artifacts_exist", "-artifacts_non_empty", "-nothing_committed", name})
	require.NoError(t, err)
	require.Len(t, gates, 1)
	require.Equal(t, name, gates[0].Name)
	return gates[0]
}

// ran is what one gate finds, by item: "" for what is as claimed.
func ran(t *testing.T, name string, e envelope.Envelope, f envelope.Facts) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, c := range envelope.RunGates(t.Context(), []envelope.Gate{gate(t, name)}, e, f) {
		require.Equal(t, name, c.Gate)
		require.Equal(t, c.OK, c.Note == "", "%s: %s", c.Item, c.Note)
		out[c.Item] = c.Note
	}
	return out
}

func TestGatesOfATypeHoldWhereNothingIsConfigured(t *testing.T) {
	t.Parallel()
	base := []string{"artifacts_in_tree", "artifacts_exist", "artifacts_non_empty", "nothing_committed"}
	for _, typ := range envelope.Types() {
		want := base
		switch typ {
		case envelope.Build, envelope.Document:
			want = append(base[:4:4], "changes_in_diff")
		case envelope.Review:
			want = append(base[:4:4], "verdict_consistent")
		}
		require.Equal(t, want, envelope.Defaults(typ))
	}
}

func TestGatesAreAddedAndLeftOutByName(t *testing.T) {
	t.Parallel()
	names := func(configured ...string) []string {
		gates, err := envelope.Choose(envelope.Build, configured)
		require.NoError(t, err)
		var out []string
		for _, g := range gates {
			out = append(out, g.Name)
		}
		return out
	}
	require.Equal(t, []string{"artifacts_in_tree", "artifacts_exist", "artifacts_non_empty", "changes_in_diff", "nothing_committed"}, names())
	require.Equal(t, []string{"artifacts_in_tree", "artifacts_exist", "json_parses", "nothing_committed", "tests_pass"},
		names("tests_pass", "json_parses", "json_parses", "-artifacts_non_empty", "-changes_in_diff"))
	require.Contains(t, names("-json_parses", "json_parses"), "json_parses", "the last word counts")
	for _, name := range []string{"x", "", "-", "--tests_pass", "Tests_Pass"} {
		_, err := envelope.Choose(envelope.Build, []string{name})
		require.ErrorContains(t, err, "there are artifacts_in_tree, artifacts_exist", "%q", name)
	}
	require.Len(t, envelope.Names(), 8)
}

func TestGateThatPanicsHasRefused(t *testing.T) {
	t.Parallel()
	fine := envelope.Gate{Name: "fine", Check: func(context.Context, envelope.Envelope, envelope.Facts) []envelope.Check {
		return []envelope.Check{{OK: true}}
	}}
	broken := envelope.Gate{Name: "broken", Check: func(context.Context, envelope.Envelope, envelope.Facts) []envelope.Check { panic("oh") }}
	require.Equal(t, []envelope.Check{
		{Gate: "fine", Item: "fine", OK: true}, {Gate: "broken", Item: "broken", Note: "the gate broke down: oh"}, {Gate: "fine", Item: "fine", OK: true},
	}, envelope.RunGates(t.Context(), []envelope.Gate{fine, broken, fine}, envelope.GenericOutput{}, envelope.Facts{}))

	empty := envelope.RunGates(t.Context(), []envelope.Gate{{Name: "empty"}}, envelope.GenericOutput{}, envelope.Facts{})
	require.Len(t, empty, 1)
	require.False(t, empty[0].OK)
}

func TestGatesStopWhenTheContextEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	first := envelope.Gate{Name: "first", Check: func(context.Context, envelope.Envelope, envelope.Facts) []envelope.Check {
		cancel()
		return nil
	}}
	require.Empty(t, envelope.RunGates(ctx, []envelope.Gate{first, envelope.TestsPass("true")}, envelope.GenericOutput{}, envelope.Facts{}))
}

func TestDeclaredTestsMustActuallyPass(t *testing.T) {
	t.Parallel()
	run := func(exit int, output string, err error) []envelope.Check {
		f := envelope.Facts{Run: func(_ context.Context, argv []string) (int, string, error) {
			require.Equal(t, []string{"go", "test"}, argv)
			return exit, output, err
		}}
		return envelope.RunGates(t.Context(), []envelope.Gate{envelope.TestsPass("go", "test")}, envelope.BuildOutput{}, f)
	}
	require.Equal(t, []envelope.Check{{Gate: "tests_pass", Item: "go test", OK: true}}, run(0, "ok", nil))
	require.Equal(t, []envelope.Check{{Gate: "tests_pass", Item: "go test", Note: "exit status 2\n--- FAIL"}}, run(2, "--- FAIL\n", nil))
	require.Equal(t, []envelope.Check{{Gate: "tests_pass", Item: "go test", Note: "not found"}}, run(0, "", errors.New("not found")))
}

func TestTestsThatAreNotNamedDoNotPass(t *testing.T) {
	t.Parallel()
	require.Equal(t, map[string]string{"tests": "no tests are configured: name them under quality in pipeline.yaml"}, ran(t, "tests_pass", envelope.BuildOutput{}, envelope.Facts{}))
	green := envelope.Facts{Run: func(context.Context, []string) (int, string, error) { return 0, "", nil }}
	for _, c := range []struct {
		gate  envelope.Gate
		facts envelope.Facts
	}{{envelope.TestsPass(), green}, {envelope.TestsPass("true"), envelope.Facts{}}} {
		checks := envelope.RunGates(t.Context(), []envelope.Gate{c.gate}, envelope.BuildOutput{}, c.facts)
		require.Len(t, checks, 1)
		require.False(t, checks[0].OK)
	}
}

func TestAgentNeverCommits(t *testing.T) {
	t.Parallel()
	at := func(head string, err error) map[string]string {
		return ran(t, "nothing_committed", envelope.BuildOutput{}, envelope.Facts{Base: "aaa", Head: func(context.Context) (string, error) { return head, err }})
	}
	require.Equal(t, map[string]string{"HEAD": ""}, at("aaa", nil))
	require.Contains(t, at("bbb", nil)["HEAD"], "moved from aaa to bbb")
	require.Equal(t, map[string]string{"HEAD": "no git"}, at("aaa", errors.New("no git")))
	require.Empty(t, ran(t, "nothing_committed", envelope.BuildOutput{}, envelope.Facts{}))
}

func TestVerdictMustAgreeWithItsReasons(t *testing.T) {
	t.Parallel()
	ok, failed := envelope.Base{Status: envelope.Success}, envelope.Base{Status: envelope.Failure}
	unmet := []envelope.ReviewFinding{{Requirement: "logout"}, {Requirement: "login", Met: true}}
	for _, c := range []struct {
		review envelope.ReviewOutput
		want   map[string]string
	}{
		{envelope.ReviewOutput{Base: ok, Approved: true, Findings: unmet[1:]}, map[string]string{"approved": ""}},
		{envelope.ReviewOutput{Base: ok, Approved: true, Blocking: []string{"x"}}, map[string]string{"blocking": "approved is true, and something must change before approval"}},
		{envelope.ReviewOutput{Base: ok, Approved: true, Findings: unmet}, map[string]string{"logout": "not met, and approved is true"}},
		{envelope.ReviewOutput{Base: failed, Approved: true}, map[string]string{"approved": "true, of a review that was not made: status is fail"}},
		{envelope.ReviewOutput{Base: ok, Findings: unmet}, map[string]string{"approved": ""}},
		{envelope.ReviewOutput{Base: ok, Blocking: []string{"x"}}, map[string]string{"approved": ""}},
		{envelope.ReviewOutput{Base: says(envelope.Success, "why not")}, map[string]string{"approved": ""}},
		{envelope.ReviewOutput{Base: ok, Findings: unmet[1:]}, map[string]string{"approved": "false, and nothing says why: name what must change under blocking"}},
	} {
		require.Equal(t, c.want, ran(t, "verdict_consistent", c.review, envelope.Facts{}))
	}
	require.Empty(t, ran(t, "verdict_consistent", envelope.BuildOutput{}, envelope.Facts{}))
	many := envelope.RunGates(t.Context(), []envelope.Gate{gate(t, "verdict_consistent")},
		envelope.ReviewOutput{Base: ok, Approved: true, Findings: make([]envelope.ReviewFinding, 10_007)}, envelope.Facts{})
	require.Len(t, many, 10_001)
	require.Equal(t, "and 7 more that are not met", many[10_000].Note)
}
