package pipeline_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	namedVerb = regexp.MustCompile("(?m)(?:`|^\\$ |^next: |^ {2,}next: )pipeline ([a-z][a-z-]*)")
	namedFlag = regexp.MustCompile("[` ](--[a-z][a-z-]+)")
	codeSpan  = regexp.MustCompile("`[^`\n]+`")
	listed    = regexp.MustCompile(`(?m)^  ([a-z][a-z-]*) {2,}\S`)
)

// TestEveryVerbAndFlagThatADocumentNamesExists asks the command's own help.
func TestEveryVerbAndFlagThatADocumentNamesExists(t *testing.T) {
	t.Parallel()
	var ask []command
	verbs := map[string]bool{}
	for _, m := range listed.FindAllStringSubmatch(inShell(t, []command{{line: "pipeline help"}})[0], -1) {
		verbs[m[1]] = true
		ask = append(ask, command{line: "pipeline " + m[1] + " --help"})
	}
	ask = append(ask, command{line: "pipeline config show --help"})
	require.Greater(t, len(ask), 20)
	flags := map[string]bool{}
	for _, help := range inShell(t, ask) {
		for _, m := range namedFlag.FindAllStringSubmatch(help, -1) {
			flags[m[1]] = true
		}
	}
	for _, page := range documents(t) {
		text := read(t, page)
		for _, m := range namedVerb.FindAllStringSubmatch(text, -1) {
			require.True(t, verbs[m[1]], "%s names `pipeline %s`", page, m[1])
		}
		for _, span := range codeSpan.FindAllString(text, -1) {
			for _, m := range namedFlag.FindAllStringSubmatch(span, -1) {
				require.True(t, flags[m[1]], "%s names %s", page, span)
			}
		}
	}
}
