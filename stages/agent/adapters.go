package agent

import (
	"maps"
	"slices"
	"strings"
)

// adapter is what one CLI has of its own: how it is called. How its event
// stream is read is the business of package agentlog.
type adapter struct {
	program string
	mints   bool // it makes the ids of its sessions itself, and tells them
	system  bool // it takes a system prompt beside the user's

	tellsUSD            bool // it says what it costs
	sumsUSD, sumsTokens bool // what it says was used up, it counts over the whole session

	argv    func(call) []string
	environ func(call) []string // KEY=value
}

// call is one send as an adapter sees it. The prompt goes to standard input.
type call struct {
	prompt, system string
	session        string // "" for a new one that the CLI names
	resume         bool   // the session is there already
	model          string
	readOnly       bool
	workspace      string
	sandbox        string
	state          string   // folder for the CLI's own state; "" if nothing is recorded
	dirs           []string // outside of the workspace, for reading and writing
}

// CLIs are the names of the agents that are known, sorted.
func CLIs() []string { return slices.Sorted(maps.Keys(adapters())) }

func adapters() map[string]adapter {
	return map[string]adapter{
		"claude":   {program: "claude", system: true, tellsUSD: true, sumsUSD: true, argv: claudeArgs, environ: claudeEnv},
		"codex":    {program: "codex", mints: true, sumsTokens: true, argv: codexArgs, environ: noEnv},
		"gemini":   {program: "gemini", argv: geminiArgs, environ: geminiEnv},
		"opencode": {program: "opencode", mints: true, tellsUSD: true, argv: opencodeArgs, environ: opencodeEnv},
		"pi":       {program: "pi", system: true, tellsUSD: true, argv: piArgs, environ: piEnv},
	}
}

// commandAdapter calls a program of the user's with its own arguments.
func commandAdapter(argv []string) adapter {
	return adapter{argv: func(call) []string { return argv[1:] }, environ: noEnv}
}

func noEnv(call) []string { return nil }

// option is a flag with its value, nothing if the value is empty.
func option(flag, value string) []string {
	if value == "" {
		return nil
	}
	return []string{flag, value}
}

// codex does not take over the sandbox of a session that it goes on with: it
// is told each time, and by a setting, since `exec resume` has no -s.
func codexArgs(k call) []string {
	args := []string{"exec"}
	if k.resume {
		args = append(args, "resume", k.session)
	}
	mode := k.sandbox
	switch {
	case mode != "":
	case k.readOnly:
		mode = readOnly
	default:
		mode = "workspace-write"
	}
	args = append(args, "--json", "-c", "sandbox_mode="+quoted(mode))
	if mode == "workspace-write" {
		roots := make([]string, len(k.dirs))
		for i, dir := range k.dirs {
			roots[i] = quoted(dir)
		}
		args = append(args, "-c", "sandbox_workspace_write.writable_roots=["+strings.Join(roots, ",")+"]")
	}
	if k.model != "" {
		args = append(args, "-c", "model="+quoted(k.model))
	}
	return append(args, "-")
}

// quoted is a TOML string.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			b.WriteString(unicodeEscape(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}

func unicodeEscape(r rune) string {
	const digits = "0123456789abcdef"
	return `\u00` + string(digits[r>>4&15]) + string(digits[r&15])
}

func geminiArgs(k call) []string {
	args := []string{"-o", "stream-json"}
	if k.resume {
		args = append(args, "--resume", k.session)
	} else {
		args = append(args, "--session-id", k.session)
	}
	args = append(args, option("-m", k.model)...)
	if len(k.dirs) > 0 {
		args = append(args, "--include-directories", strings.Join(k.dirs, ","))
	}
	if k.readOnly {
		return append(args, "--approval-mode", "plan")
	}
	return append(args, "--approval-mode", "auto_edit")
}

func geminiEnv(call) []string { return []string{"GEMINI_CLI_TRUST_WORKSPACE=true"} }

func opencodeArgs(k call) []string {
	args := []string{"run", "--format", "json"}
	if k.resume {
		args = append(args, "-s", k.session)
	}
	return append(args, option("--model", k.model)...)
}

func opencodeEnv(k call) []string {
	env := []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1"}
	if k.readOnly {
		return append(env, `OPENCODE_PERMISSION={"edit":"deny","bash":"deny"}`)
	}
	return append(env, `OPENCODE_PERMISSION={"external_directory":"allow"}`)
}

func piArgs(k call) []string {
	args := []string{"-p", "--mode", "json", "--session-id", k.session}
	args = append(args, option("--session-dir", k.state)...)
	args = append(args, option("--model", k.model)...)
	args = append(args, option("--append-system-prompt", k.system)...)
	if k.readOnly {
		return append(args, "--tools", "read,grep,find,ls")
	}
	return args
}

func piEnv(call) []string { return []string{"PI_SKIP_VERSION_CHECK=1"} }
