package stages

import (
	"strings"
	"unicode"
)

// commitType is the kind of change: what the TASK's front matter says, else what
// the builder says if it is one of the six, else a guess from the title.
func commitType(in CommitInput) string {
	if in.Task.CommitType != "" {
		return in.Task.CommitType
	}
	if in.Builder.Commit != nil {
		switch kind := strings.ToLower(strings.TrimSpace(in.Builder.Commit.Type)); kind {
		case "feat", "fix", "chore", "docs", "test", "refactor":
			return kind
		}
	}
	return guessType(in.Task.Title)
}

// guessType reads a title's words in order; the first that tells decides.
func guessType(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	for _, word := range words {
		switch word {
		case "feat", "feature", "add", "adds", "implement", "implements", "introduce", "create", "support":
			return "feat"
		case "fix", "fixes", "bug", "bugfix", "hotfix", "repair", "correct", "버그", "오류":
			return "fix"
		case "doc", "docs", "document", "documentation", "readme", "changelog", "문서", "문서화":
			return "docs"
		case "test", "tests", "testing", "테스트":
			return "test"
		case "refactor", "refactoring", "restructure", "rename", "simplify", "cleanup", "리팩터링", "리팩토링":
			return "refactor"
		case "chore", "bump", "upgrade", "dependencies", "ci", "release", "lint":
			return "chore"
		}
	}
	return "feat"
}
