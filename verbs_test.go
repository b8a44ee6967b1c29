package pipeline_test

import (
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/internal/cli"
)

var (
	namedVerb = regexp.MustCompile("(?m)(?:`|^\\$ |^next: |^ {2,}next: )pipeline ([a-z][a-z-]*)")
	namedFlag = regexp.MustCompile("[` ](--[a-z][a-z-]+)")
	codeSpan  = regexp.MustCompile("`[^`\n]+`")
	theirs    = regexp.MustCompile("^`(?:claude|codex|gemini|git|go|opencode|pi) ") // other programs have flags of their own
	listed    = regexp.MustCompile(`(?m)^  ([a-z][a-z-]*) {2,}\S`)
)

// TestEveryVerbAndFlagThatADocumentNamesExists asks the command's own help.
func TestEveryVerbAndFlagThatADocumentNamesExists(t *testing.T) {
	t.Parallel()
	helps := help(t, "config", "show")
	verbs := map[string]bool{}
	for _, m := range listed.FindAllStringSubmatch(help(t), -1) {
		verbs[m[1]] = true
		helps += help(t, m[1])
	}
	require.Greater(t, len(verbs), 20)
	flags := map[string]bool{}
	for _, m := range namedFlag.FindAllStringSubmatch(helps, -1) {
		flags[m[1]] = true
	}
	for _, page := range documents(t) {
		text := read(t, page)
		for _, m := range namedVerb.FindAllStringSubmatch(text, -1) {
			require.True(t, verbs[m[1]], "%s names `pipeline %s`", page, m[1])
		}
		for _, span := range codeSpan.FindAllString(text, -1) {
			if theirs.MatchString(span) {
				continue
			}
			for _, m := range namedFlag.FindAllStringSubmatch(span, -1) {
				require.True(t, flags[m[1]], "%s names %s", page, span)
			}
		}
	}
}

// help is what a verb, or the whole command, tells of itself.
func help(t *testing.T, verb ...string) string {
	var out strings.Builder
	p := &cli.Process{Args: append(verb, "--help"), Stdin: strings.NewReader(""), Stdout: &out, Stderr: io.Discard, Dir: t.TempDir()}
	require.Zero(t, cli.Main(t.Context(), p), verb)
	return out.String()
}
