package pipeline_test

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/internal/cli"
)

// TestMain makes the test binary the command, so that documents run as written.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"pipeline": func() {
			p := cli.OS(os.Args[1:], nil)
			ctx, stop := cli.WithSignals(context.Background(), p)
			code := cli.Main(ctx, p)
			stop()
			os.Exit(code)
		},
	})
}

// TestEveryTranscriptIsWhatTheCommandsPrint runs the console blocks of a page,
// in order and in one shell. Names that differ from run to run are masked; a
// line "…" stands for any lines.
func TestEveryTranscriptIsWhatTheCommandsPrint(t *testing.T) {
	t.Parallel()
	texts := map[string]string{"README.md": sectionOf(t, "README.md", "A first project")}
	pages, err := filepath.Glob(filepath.Join("docs", "*.md"))
	require.NoError(t, err)
	for _, page := range pages {
		texts[page] = read(t, page)
	}
	for page, text := range texts {
		var commands []command
		for _, block := range fences(text, "console") {
			commands = append(commands, transcript(block)...)
		}
		printed := inShell(t, commands)
		for i, c := range commands {
			require.Regexp(t, lenient(masked(c.printed)), masked(printed[i]), "%s: $ %s", page, c.line)
		}
	}
}

// TestTheDemoOfTheReadmeLandsWhatItSays compares the lines that are a contract:
// the others depend on which of two TASKs is faster.
func TestTheDemoOfTheReadmeLandsWhatItSays(t *testing.T) {
	t.Parallel()
	contract := regexp.MustCompile(`(?m)^(TASK-\S+ landed .*|[0-9]+ done, [0-9]+ failed, [0-9]+ not started.*)$`)
	shown := fences(sectionOf(t, "README.md", "See it"), "console")
	require.Len(t, shown, 1)
	printed := inShell(t, []command{{line: "pipeline demo demo"}})
	require.ElementsMatch(t, contract.FindAllString(masked(printed[0]), -1), contract.FindAllString(masked(shown[0]), -1))
}

// TestTheExitCodesOfTheReadmeAreThoseOfTheCode reads the one switch in which an
// exit code is chosen, and what each of its cases stands for.
func TestTheExitCodesOfTheReadmeAreThoseOfTheCode(t *testing.T) {
	t.Parallel()
	rows := map[int]string{0: ""}
	for code, meaning := range exitCodes(t) {
		rows[code] = meaning
	}
	for _, row := range tableRows(sectionOf(t, "README.md", "Exit codes")) {
		code, err := strconv.Atoi(row[0])
		if err != nil {
			continue // the head of the table
		}
		meaning, is := rows[code]
		require.True(t, is, "the README has %d; no case of exitCode returns it", code)
		for _, part := range strings.Split(meaning, "\n") {
			require.Contains(t, strings.ToLower(row[1]), strings.ToLower(part), "exit code %d", code)
		}
		delete(rows, code)
	}
	require.Empty(t, rows, "the README has no row for these")
}

// exitCodes are the codes that exitCode returns, each with the texts of its
// errors, one a line.
func exitCodes(t *testing.T) map[int]string {
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("internal", "cli", "exit.go"), nil, 0)
	require.NoError(t, err)
	texts := map[string]string{}
	codes := map[int][]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			if call, ok := n.Values[0].(*ast.CallExpr); ok {
				text, err := strconv.Unquote(call.Args[0].(*ast.BasicLit).Value)
				require.NoError(t, err)
				texts[n.Names[0].Name] = text
			}
		case *ast.CaseClause:
			if len(n.List) == 0 {
				return true
			}
			code, err := strconv.Atoi(n.Body[0].(*ast.ReturnStmt).Results[0].(*ast.BasicLit).Value)
			require.NoError(t, err)
			for _, expr := range n.List {
				if call, ok := expr.(*ast.CallExpr); ok {
					codes[code] = append(codes[code], texts[call.Args[0].(*ast.Ident).Name])
				}
			}
		}
		return true
	})
	require.NotEmpty(t, codes)
	joined := map[int]string{}
	for code, all := range codes {
		joined[code] = strings.Join(all, "\n")
	}
	return joined
}

// command is one line that somebody types, and what it printed.
type command struct{ line, printed string }

// transcript takes a console block apart: "$ " begins a command, "> " goes on
// with it, everything else was printed.
func transcript(block string) []command {
	var all []command
	typing := false
	for l := range strings.Lines(block) {
		if line, ok := strings.CutPrefix(l, "$ "); ok {
			all = append(all, command{line: strings.TrimSuffix(line, "\n")})
			typing = true
			continue
		}
		if line, ok := strings.CutPrefix(l, ">"); ok && typing {
			all[len(all)-1].line += "\n" + strings.TrimPrefix(strings.TrimSuffix(line, "\n"), " ")
			continue
		}
		typing = false
		all[len(all)-1].printed += l
	}
	return all
}

// inShell types commands into one shell in a new folder and returns what each
// printed.
func inShell(t *testing.T, commands []command) []string {
	const mark = "\x01\n"
	var script strings.Builder
	for _, c := range commands {
		// $? stays that of the command before, for `echo $?`.
		fmt.Fprintf(&script, "status=$?; printf '\\001\\n'; (exit $status)\n%s\n", c.line)
	}
	home := t.TempDir()
	settings := "[user]\n\tname = You\n\temail = you@localhost\n[init]\n\tdefaultBranch = main\n"
	require.NoError(t, os.WriteFile(filepath.Join(home, "gitconfig"), []byte(settings), 0o644))
	typed := filepath.Join(home, "typed")
	require.NoError(t, os.WriteFile(typed, []byte(script.String()), 0o644))
	shell := exec.CommandContext(t.Context(), "bash", typed)
	shell.Dir = t.TempDir()
	shell.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home, "LANG=C.UTF-8",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + filepath.Join(home, "gitconfig"),
	}
	out, err := shell.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil {
		require.ErrorAs(t, err, &exit, "bash: %s", out)
	}
	printed := strings.Split(string(out), mark)[1:]
	require.Len(t, printed, len(commands), "%s", out)
	return printed
}

var changing = []struct {
	pattern *regexp.Regexp
	name    string
}{
	{regexp.MustCompile(`\b01[0-9A-HJKMNP-TV-Z]{24}\b`), "SESSION"},
	{regexp.MustCompile(`\b[0-9a-f]{7}\b`), "COMMIT"},
	{regexp.MustCompile(`\b([0-9]+m)?[0-9]+(\.[0-9]+)?s\b`), "TIME"},
	{regexp.MustCompile(` {2,}`), "  "}, // columns are as wide as what differs
}

// masked is a text without what differs from run to run.
func masked(s string) string {
	for _, c := range changing {
		s = c.pattern.ReplaceAllString(s, c.name)
	}
	return s
}

// lenient is the pattern of a text in which a line "…" stands for any lines.
func lenient(s string) string {
	return "^" + strings.ReplaceAll(regexp.QuoteMeta(s), "…\n", `(?:.*\n)*?`) + "$"
}
