package agentlog

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// maxMessage bounds the text of a fault, in bytes.
const maxMessage = 2000

// statusIn finds the status of an answer in what a CLI says of it.
var statusIn = regexp.MustCompile(`(?i)(?:^|status|status code|error|http|rejected|code)["':=\s(]*([45][0-9][0-9])(?:[^0-9]|$)`)

// signs are words by which an answer is known that names no status, the most
// telling first.
var signs = []struct {
	kind  FaultKind
	words []string
}{
	{Refused, []string{"insufficient_quota", "credit balance", "billing", "invalid api key", "invalid_api_key", "incorrect api key", "authentication", "unauthorized", "not logged in", "/login", "auth method", "api key", "permission_error", "model not found", "model_not_found", "unknown model", "invalid model", "not supported when using", "invalid_request_error", "invalid_argument", "unknown option", "unknown argument", "unexpected argument", "unrecognized option"}},
	{RateLimited, []string{"rate limit", "rate_limit", "ratelimit", "too many requests", "usage limit", "limit reached", "quota", "resource_exhausted"}},
	{Overloaded, []string{"overloaded", "high demand", "unavailable", "internal server error", "internal_server_error", "bad gateway", "econnrefused", "econnreset", "enotfound", "etimedout", "eai_again", "connection error", "connection refused", "connection reset", "fetch failed", "socket hang up", "network error", "stream disconnected", "error sending request", "timed out", "premature close", "terminated"}},
}

// classify tells what can be done about an error of the provider.
func classify(status int, message string) *Fault {
	f := &Fault{Kind: Other, Status: status, Message: cut(strings.TrimSpace(clean(message)), maxMessage)}
	if f.Status == 0 {
		if m := statusIn.FindStringSubmatch(message); m != nil {
			f.Status, _ = strconv.Atoi(m[1]) // three digits
		}
	}
	lower := strings.ToLower(f.Message)
	switch {
	case f.Status == 429 && has(lower, "insufficient_quota", "credit balance"):
		f.Kind = Refused
	case f.Status == 429:
		f.Kind = RateLimited
	case f.Status == 408 || f.Status >= 500:
		f.Kind = Overloaded
	case f.Status >= 400:
		f.Kind = Refused
	default:
		f.Kind = bySigns(lower)
	}
	if f.Kind == RateLimited || f.Kind == Overloaded {
		f.Until, f.After = comeAgain(f.Message, now())
	}
	return f
}

func bySigns(lower string) FaultKind {
	for _, s := range signs {
		if has(lower, s.words...) {
			return s.kind
		}
	}
	return Other
}

func has(s string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// sessionSigns are what the CLIs say on standard error of a session that they
// are to go on with, or to make.
var sessionSigns = []struct {
	cli   CLI
	words string
	kind  FaultKind
}{
	{Claude, "no conversation found with session id", UnknownSession},
	{Claude, "is already in use", SessionInUse},
	{Codex, "no rollout found for thread id", UnknownSession},
	{Codex, "thread not found", UnknownSession},
	{Gemini, "invalid session identifier", UnknownSession},
	{Gemini, "no previous sessions found", UnknownSession},
	{Gemini, "already exists", SessionInUse},
	{OpenCode, "session not found", UnknownSession},
}

// Diagnose puts together what a stream, the standard error and the exit status
// say of one call. It returns nil only if the stream ended with its last word,
// names no error, and the exit status agrees.
func Diagnose(c CLI, o Outcome, stderr string, exit int) *Fault {
	if o.Ended && o.Fault == nil && exit == 0 {
		return nil
	}
	log := strings.TrimSpace(clean(lastOf(stderr, maxText)))
	if exit != 0 {
		lower := strings.ToLower(log)
		for _, s := range sessionSigns {
			if s.cli == c && strings.Contains(lower, s.words) {
				return &Fault{Kind: s.kind, Message: cut(lastOf(log, maxMessage), maxMessage)}
			}
		}
	}
	switch f := o.Fault; {
	case f != nil && f.Kind == Other && f.Status == 0:
		// The stream gives the text, standard error may have the status.
		if told := classify(0, log); told.Status != 0 {
			told.Message = f.Message
			return told
		}
		return f
	case f != nil:
		return f
	case o.Ended:
		return &Fault{Kind: Other, Message: fmt.Sprintf("it ended with exit status %d although it had replied", exit)}
	}
	f := reason(log)
	if exit == 0 {
		f.Kind = Other // what it wrote there was not the reason for its end
	}
	said := fmt.Sprintf("it ended with exit status %d before its reply was complete", exit)
	if f.Message != "" {
		said += ": " + f.Message
	}
	f.Message = cut(said, maxMessage)
	return f
}

// reason is what the last line of a log that names one says, else what its
// last line says.
func reason(log string) *Fault {
	lines := strings.Split(log, "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if f := classify(0, lines[i]); f.Kind != Other {
			return f
		}
	}
	return classify(0, lines[len(lines)-1])
}

// attempt is how gemini tells that a provider has not answered, and that it
// will try again.
var attempt = regexp.MustCompile(`^Attempt ([0-9]{1,4}) failed with status [45][0-9][0-9]`)

// Retry is how often a CLI has tried, if a line of its standard error says that
// it goes on trying; 0 for any other line. One that tries for minutes and tells
// nobody is better ended, and asked again later.
func Retry(c CLI, line string) int {
	m := attempt.FindStringSubmatch(line)
	if c != Gemini || m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1]) // four digits
	return n
}

// lastOf is the end of a text, n bytes at most.
func lastOf(s string, n int) string {
	return strings.ToValidUTF8(s[max(len(s)-n, 0):], "")
}
