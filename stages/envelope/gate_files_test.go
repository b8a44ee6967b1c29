package envelope_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/stages/envelope"
)

// site is a workspace beside a session's folder, both reached through a symlink.
func site(t *testing.T) envelope.Facts {
	t.Helper()
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, "real", "session", "context_handoff"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(root, "real", "work"), 0o755))
	require.NoError(t, os.Symlink(filepath.Join(root, "real"), filepath.Join(root, "link")))
	at := filepath.Join(root, "link")
	return envelope.Facts{Workspace: filepath.Join(at, "work"), SessionDir: filepath.Join(at, "session"), HandoffDir: filepath.Join(at, "session", "context_handoff")}
}

func put(t *testing.T, path, text string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func artifacts(names ...string) envelope.Envelope {
	return envelope.GenericOutput{Base: envelope.Base{Status: envelope.Success, Artifacts: names}}
}

// findings is what a gate finds of artifacts, in their order.
func findings(t *testing.T, name string, f envelope.Facts, names ...string) []string {
	t.Helper()
	found := ran(t, name, artifacts(names...), f)
	var out []string
	for _, n := range names {
		note, looked := found[cmp.Or(n, `""`)]
		if !looked {
			note = "not looked at"
		}
		out = append(out, note)
	}
	return out
}

func TestDeclaredArtifactsExistAndAreNonEmpty(t *testing.T) {
	t.Parallel()
	f := site(t)
	put(t, filepath.Join(f.Workspace, "a.md"), "a")
	put(t, filepath.Join(f.Workspace, "empty.md"), "")
	put(t, filepath.Join(f.Workspace, "dir", "x"), "x")
	require.NoError(t, os.Mkdir(filepath.Join(f.Workspace, "bare"), 0o755))
	require.NoError(t, os.Symlink("a.md", filepath.Join(f.Workspace, "alias")))
	require.NoError(t, os.Symlink("gone", filepath.Join(f.Workspace, "dangling")))
	require.NoError(t, os.Symlink("loop", filepath.Join(f.Workspace, "loop")))
	names := []string{"a.md", "./dir/../a.md", "alias", "dir", "empty.md", "bare", "missing.md", "dangling", "loop", strings.Repeat("n", 5000), "a.md/b", "a\x00b", "", " "}
	require.Equal(t, []string{
		"", "", "", "", "", "", "does not exist", "does not exist", "cannot be looked at: too many levels of symbolic links",
		"cannot be looked at: file name too long", "cannot be looked at: not a directory", "not a path", "not a path", "not a path",
	}, findings(t, "artifacts_exist", f, names...))
	const skip = "not looked at"
	require.Equal(t, []string{"", "", "", "", "empty", "an empty folder", skip, skip, skip, skip, skip, skip, skip, skip}, findings(t, "artifacts_non_empty", f, names...))
}

func TestArtifactIsLookedForInTheWorkspaceThenInTheHandoffFolder(t *testing.T) {
	t.Parallel()
	f := site(t)
	put(t, filepath.Join(f.Workspace, "both"), "w")
	put(t, filepath.Join(f.HandoffDir, "both"), "")
	notes := put(t, filepath.Join(f.HandoffDir, "notes.md"), "n")
	real, err := filepath.EvalSymlinks(notes)
	require.NoError(t, err)
	names := []string{"both", "notes.md", "context_handoff/notes.md", notes, real}
	for _, gate := range []string{"artifacts_in_tree", "artifacts_exist", "artifacts_non_empty"} {
		require.Equal(t, make([]string, len(names)), findings(t, gate, f, names...), gate)
	}
	f.HandoffDir, f.SessionDir = "", ""
	require.Equal(t, []string{"", "does not exist"}, findings(t, "artifacts_exist", f, "both", "notes.md"))
}

func TestArtifactLiesInTheWorkspaceOrInTheSessionsFolder(t *testing.T) {
	t.Parallel()
	f := site(t)
	outside := put(t, filepath.Join(t.TempDir(), "secret"), "s")
	put(t, filepath.Join(f.Workspace, "a"), "a")
	put(t, filepath.Join(filepath.Dir(f.Workspace), "work2", "a"), "a")
	require.NoError(t, os.Symlink(outside, filepath.Join(f.Workspace, "out")))
	require.NoError(t, os.Symlink(filepath.Dir(outside), filepath.Join(f.HandoffDir, "outdir")))
	require.NoError(t, os.Symlink(f.HandoffDir, filepath.Join(f.Workspace, "in")))
	put(t, filepath.Join(f.HandoffDir, "n"), "n")
	const spelled, leads = "outside of the workspace and of the session's folder", "a symlink that leads out of the workspace and of the session's folder"
	for name, want := range map[string]string{
		"a": "", "./a": "", "x/../a": "", filepath.Join(f.Workspace, "a"): "", "in/n": "", "..a": "",
		"../work2/a": spelled, "..": spelled, "../../../etc/passwd": spelled, "/etc/passwd": spelled, outside: spelled, f.Workspace + "2/a": spelled, "a/../../work2/a": spelled,
		"out": leads, "outdir/secret": leads, "a\x00": "not a path", "": "not a path",
	} {
		require.Equal(t, []string{want}, findings(t, "artifacts_in_tree", f, name), "%q", name)
	}
}

func TestArtifactNamedJSONMustParse(t *testing.T) {
	t.Parallel()
	f := site(t)
	put(t, filepath.Join(f.Workspace, "a.json"), `{"a":[1]}`)
	put(t, filepath.Join(f.Workspace, "B.JSON"), `{"a":`)
	put(t, filepath.Join(f.Workspace, "empty.json"), ``)
	put(t, filepath.Join(f.Workspace, "two.json"), `{} {}`)
	put(t, filepath.Join(f.Workspace, "deep.json"), strings.Repeat("[", 1_000_000))
	put(t, filepath.Join(f.Workspace, "a.md"), `{`)
	put(t, filepath.Join(f.Workspace, "d.json", "x"), ``)
	outside := put(t, filepath.Join(t.TempDir(), "secret.json"), "s")
	require.NoError(t, os.Symlink(outside, filepath.Join(f.Workspace, "out.json")))
	require.NoError(t, os.Truncate(put(t, filepath.Join(f.Workspace, "huge.json"), ""), 64<<20+1))
	require.Equal(t, []string{
		"", "not JSON: unexpected end of JSON input", "not JSON: unexpected end of JSON input", "not JSON: invalid character '{' after top-level value",
		"not JSON: invalid character '[' exceeded max depth", "not looked at", "not a file", "not read: it is outside of the workspace and of the session's folder",
		"67108865 bytes; at most 67108864 are read", "not looked at",
	}, findings(t, "json_parses", f, "a.json", "B.JSON", "empty.json", "two.json", "deep.json", "a.md", "d.json", "out.json", "huge.json", "gone.json"))
}

func TestListThatIsTooLongIsRefusedByEveryGateThatReadsIt(t *testing.T) {
	t.Parallel()
	f := site(t)
	names := make([]string, 10_003)
	for i := range names {
		names[i] = fmt.Sprintf("%d.json", i)
	}
	for _, gate := range []string{"artifacts_in_tree", "artifacts_exist", "artifacts_non_empty", "json_parses"} {
		require.Equal(t, "10003 entries; at most 10000 are looked at", ran(t, gate, artifacts(names...), f)["artifacts"], gate)
		require.NotContains(t, ran(t, gate, artifacts(names[:10_000]...), f), "artifacts", gate)
	}
	asked := 0
	f.Differ = func(_ context.Context, paths []string) ([]string, error) {
		asked = len(paths)
		return paths, nil
	}
	got := ran(t, "changes_in_diff", envelope.BuildOutput{ChangedFiles: names}, f)
	require.Equal(t, 10_000, asked)
	require.Equal(t, "10003 entries; at most 10000 are looked at", got["changed_files"])
}

func TestDeclaredChangesAppearInTheDiff(t *testing.T) {
	t.Parallel()
	f := site(t)
	put(t, filepath.Join(f.Workspace, "dir", "x"), "x")
	real, err := filepath.EvalSymlinks(f.Workspace)
	require.NoError(t, err)
	differ := map[string]bool{"a.go": true, "b/c d.go": true, "é\"\n.go": true, "gone.go": true}
	calls := 0
	f.Differ = func(_ context.Context, paths []string) ([]string, error) {
		calls++
		var out []string
		for _, p := range paths {
			if differ[p] {
				out = append(out, p)
			}
		}
		return append(out, ""), nil
	}
	want := map[string]string{
		"a.go": "", "./a.go": "", "b/../a.go": "", "b/c d.go": "", "é\"\n.go": "", "gone.go": "", filepath.Join(f.Workspace, "a.go"): "", filepath.Join(real, "a.go"): "",
		"same.go": "not changed", "A.go": "not changed", "dir": "a folder: name its files", "dir/": "a folder: name its files",
		"../a.go": "outside of the workspace", "/etc/passwd": "outside of the workspace", "b/../../a.go": "outside of the workspace", ".": "outside of the workspace", f.Workspace: "outside of the workspace",
		"a.go\x00": "not a path", `""`: "not a path", " ": "not a path",
	}
	var claims []string
	for claim := range want {
		claims = append(claims, strings.Trim(claim, `"`))
	}
	require.Equal(t, want, ran(t, "changes_in_diff", envelope.BuildOutput{ChangedFiles: claims}, f))
	require.Equal(t, 1, calls, "the facts are asked once")

	require.Equal(t, map[string]string{"docs.md": "not changed"}, ran(t, "changes_in_diff", envelope.DocumentOutput{DocumentPath: "docs.md", DocumentedFiles: []string{"other.go"}}, f))
	require.Empty(t, ran(t, "changes_in_diff", envelope.BuildOutput{}, f))
	require.Empty(t, ran(t, "changes_in_diff", envelope.ReviewOutput{}, f))
	require.Equal(t, 2, calls)

	f.Differ = func(context.Context, []string) ([]string, error) { return []string{""}, errors.New("no git") }
	require.Equal(t, map[string]string{"diff": "no git"}, ran(t, "changes_in_diff", envelope.BuildOutput{ChangedFiles: []string{"a.go"}}, f))
}
