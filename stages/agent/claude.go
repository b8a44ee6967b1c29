package agent

import (
	"encoding/json"
	"strings"
)

// claudeEdits are the tools by which claude changes files.
const claudeEdits = "Write|Edit|MultiEdit|NotebookEdit"

func claudeArgs(k call) []string {
	args := []string{"-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "acceptEdits"}
	if k.resume {
		args = append(args, "--resume", k.session)
	} else {
		args = append(args, "--session-id", k.session)
	}
	args = append(args, option("--model", k.model)...)
	args = append(args, option("--append-system-prompt", k.system)...)
	for _, dir := range k.dirs {
		args = append(args, "--add-dir", dir)
	}
	if k.readOnly {
		return append(args, "--tools", "Read,Grep,Glob")
	}
	return append(args, "--settings", claudeSettings(append([]string{k.workspace}, k.dirs...)))
}

func claudeEnv(call) []string {
	return []string{"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_MAX_RETRIES=1"}
}

// claudeSettings answer what claude would ask a person. It takes every file
// below a folder called .git for a sensitive one, and the worktree that it is
// to work in lies there: what it wants to change below one of the folders it is
// allowed to, and nothing else.
func claudeSettings(folders []string) string {
	type m = map[string]any
	var inside []string
	for _, dir := range folders {
		inside = append(inside, quotedShell(dir)+"/*")
	}
	const allow = `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`
	answer := `p=$(cat); p=${p#*\"file_path\":\"}; p=${p%%\"*}; case $p in */../*|*/..) ;; ` + strings.Join(inside, "|") + `) echo '` + allow + `';; esac`
	b, err := json.Marshal(m{"hooks": m{"PermissionRequest": []m{{"matcher": claudeEdits, "hooks": []m{{"type": "command", "command": answer}}}}}})
	if err != nil {
		panic(err) // plain data
	}
	return string(b)
}

// quotedShell is one word of a shell line, with nothing in it that is special.
func quotedShell(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
