package agent_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
)

func TestClaudeMayEditItsWorkspaceAndWhatItHandsOnAndNothingElse(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Builder).says(built("s"))
	d.req.Workspace = filepath.Join(d.req.Workspace, "tasks") // its neighbours are not its own
	d.does()
	var settings struct {
		Hooks struct {
			PermissionRequest []struct {
				Matcher string
				Hooks   []struct{ Command string }
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(option(d.calls()[0].Args, "--settings")), &settings))
	asked := settings.Hooks.PermissionRequest[0]
	require.NotContains(t, asked.Matcher, "Bash")
	answer := func(path, content string) string {
		request, err := json.Marshal(map[string]any{"tool_input": map[string]string{"file_path": path, "z_content": content}})
		require.NoError(t, err)
		cmd := exec.Command("sh", "-c", asked.Hooks[0].Command)
		cmd.Stdin = strings.NewReader(string(request))
		out, err := cmd.CombinedOutput()
		require.NoError(t, err)
		return string(out)
	}
	inside := filepath.Join(d.req.Workspace, "a.go")
	require.Contains(t, answer(inside, ""), `"behavior":"allow"`)
	require.Contains(t, answer(filepath.Join(d.req.Workspace, ".git", "x"), ""), `"behavior":"allow"`)
	require.Contains(t, answer(filepath.Join(d.req.HandoffDir, "notes.md"), "../.."), `"behavior":"allow"`)
	for _, path := range []string{
		"/etc/passwd", "a.go", "", d.req.Workspace, d.req.Workspace + "-other/a.go", d.req.Workspace + "/../b.go", d.req.Workspace + "/..",
		filepath.Join(d.req.AgentDir, "envelope.json"), "$(touch pwned)", `x","file_path":"` + inside,
	} {
		require.Empty(t, answer(path, `"file_path":"`+inside+`"`), "%s", path)
	}

	d = at(t, "claude", dispatch.Verifier).says(approved)
	d.does()
	require.Empty(t, option(d.calls()[0].Args, "--settings"), "one that may only read is asked nothing")
}
