package stages

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/taskpipeline/pipeline/progress"
	"github.com/taskpipeline/pipeline/window"
)

const (
	maxSubject     = 200     // characters of a commit's first line
	maxMessageBody = 8 << 10 // bytes of the rest that an executor may give
	maxListed      = 20      // paths that we list in a body or a warning
)

// ourTrailer is a line that git, or a reader of history, could take for one of
// the trailers that the committer alone writes.
var ourTrailer = regexp.MustCompile(`(?im)^[^\S\n]*pipeline-[\w-]*[^\S\n]*[:=].*$\n?`)

// commitMessage is the message of a TASK's commit: the subject and body that
// the last passing builder gave, else ours; then always our trailers.
func commitMessage(in CommitInput, kind string) string {
	var b strings.Builder
	subject, body := given(in)
	if subject == "" {
		subject = fmt.Sprintf("%s(%s): %s", kind, in.Task.ID, titleOf(in))
		body = ourBody(in)
	}
	b.WriteString(cutTo(subject, maxSubject) + "\n\n")
	if body != "" {
		b.WriteString(body + "\n\n")
	}
	fmt.Fprintf(&b, "Pipeline-Task: %s\n", in.Task.ID)
	if in.Session != "" {
		fmt.Fprintf(&b, "Pipeline-Session: %s\n", in.Session)
	}
	fmt.Fprintf(&b, "Pipeline-Attempt: %d\n", in.Step.Attempt)
	if in.Task.SpecHash != "" {
		fmt.Fprintf(&b, "Pipeline-Spec: %s\n", in.Task.SpecHash)
	}
	return b.String()
}

// given is the subject and body of the executor's own message, without any
// line that could pass for one of our trailers.
func given(in CommitInput) (subject, body string) {
	if in.Builder.Commit == nil {
		return "", ""
	}
	message := window.Clean(ourTrailer.ReplaceAllString(window.Clean(in.Builder.Commit.Message), ""))
	subject, body, _ = strings.Cut(message, "\n")
	body = strings.TrimSpace(body)
	if len(body) > maxMessageBody {
		body = strings.TrimSpace(strings.ToValidUTF8(body[:maxMessageBody], "")) + "\n…"
	}
	return strings.TrimSpace(subject), body
}

func titleOf(in CommitInput) string {
	if title := strings.Join(strings.Fields(window.Clean(in.Task.Title)), " "); title != "" {
		return title
	}
	return string(in.Task.ID)
}

func ourBody(in CommitInput) string {
	var lines []string
	for i, c := range in.Snapshot.Changes {
		if i == maxListed {
			lines = append(lines, fmt.Sprintf("- and %d more", len(in.Snapshot.Changes)-maxListed))
			break
		}
		lines = append(lines, fmt.Sprintf("- %s %s", strings.ToLower(string(c.Action)), progress.Printed(c.Path)))
	}
	body := strings.Join(lines, "\n")
	if in.ResultPath != "" {
		body += "\n\nResult: " + in.ResultPath
	}
	return strings.TrimSpace(body)
}

// cutTo is a text, cut to so many characters if it is longer.
func cutTo(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return s
}
