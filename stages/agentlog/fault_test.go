package agentlog

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestProviderSaysWhenToComeAgain(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 12, 1, 14, 0, 0, 0, time.UTC)
	for message, want := range map[string]time.Duration{
		"Rate limit reached. Please try again in 20s.":                        20 * time.Second,
		"Please try again in 1m30.5s":                                         90*time.Second + 500*time.Millisecond,
		"You've hit your usage limit. Try again in 3 days 4 hours 5 minutes.": 76*time.Hour + 5*time.Minute,
		"Please retry in 38.5s.":                                              38*time.Second + 500*time.Millisecond,
		"Your quota will reset after 3h20m5s.":                                3*time.Hour + 20*time.Minute + 5*time.Second,
		`{"retryDelay":"38s"}`:                                                38 * time.Second,
		"retry-after: 120":                                                    2 * time.Minute,
		"Retry-After=1500ms":                                                  1500 * time.Millisecond,
		"AI usage limit reached|1796133660":                                   time.Minute,
		`{"type":"usage_limit_reached","resets_at":1796133660}`:               time.Minute,
		"limit resets at 2026-12-01T14:05:00Z":                                5 * time.Minute,
		"5-hour limit reached ∙ resets 3pm (UTC)":                             time.Hour,
		"5-hour limit reached ∙ resets 1:30pm (UTC)":                          23*time.Hour + 30*time.Minute,
		"You've hit your usage limit. Try again at Dec 2nd, 2026 2:04 PM.":    24*time.Hour + 4*time.Minute,
		"try again in 99999999 days":                                          mostWait,
		"resets at 9999-01-01T00:00:00Z":                                      mostWait,
		"Too many requests":                                                   0,
		"":                                                                    0,
		"try again in a moment":                                               0,
		"the file main.go was reset 5 times":                                  0,
	} {
		until, after := comeAgain(message, at)
		if !until.IsZero() {
			after = until.Sub(at)
		}
		require.Equal(t, want, after, "%s", message)
	}
}

func TestErrorsOfProvidersAreToldApart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status  int
		message string
		kind    FaultKind
		code    int
	}{
		{400, "bad request", Refused, 400},
		{0, `API Error: 401 {"type":"error"}`, Refused, 401},
		{0, "Invalid API key · Please run /login", Refused, 0},
		{0, "unexpected status 404 Not Found: model not found", Refused, 404},
		{0, "Invalid auth method selected.", Refused, 0},
		{0, "Error: Unknown option: --session-id", Refused, 0},
		{429, `{"code":"insufficient_quota"}`, Refused, 429},
		{0, "Your credit balance is too low", Refused, 0},
		{0, `429: {"type":"x"}`, RateLimited, 429},
		{0, "API Error: Request rejected (429) · x", RateLimited, 429},
		{0, "exceeded retry limit, last status: 429 Too Many Requests", RateLimited, 429},
		{0, "You've hit your usage limit", RateLimited, 0},
		{0, "RESOURCE_EXHAUSTED", RateLimited, 0},
		{529, "", Overloaded, 529},
		{0, "API Error: 500 x", Overloaded, 500},
		{0, "status: 503", Overloaded, 503},
		{0, "We are currently experiencing high demand", Overloaded, 0},
		{0, "connect ECONNREFUSED 127.0.0.1:1", Overloaded, 0},
		{0, "it read 500 lines of main.go", Other, 0},
		{0, "", Other, 0},
	} {
		f := classify(c.status, c.message)
		require.Equal(t, c.kind, f.Kind, "%d %s", c.status, c.message)
		require.Equal(t, c.code, f.Status, "%d %s", c.status, c.message)
	}
}

func TestSignsInAReplyAreNoFault(t *testing.T) {
	t.Parallel()
	said := Outcome{Ended: true, Final: "The server answered 429: rate limit. Error: session not found."}
	for _, c := range Known() {
		require.Nil(t, Diagnose(c, said, "429 rate limit; Session not found; is already in use", 0), "%s", c)
	}
}

func TestLogWithoutAReplyIsNoReason(t *testing.T) {
	t.Parallel()
	f := Diagnose(Gemini, Outcome{}, "Attempt 1 failed with status 429. Retrying", 0)
	require.Equal(t, Other, f.Kind)
	f = Diagnose(Gemini, Outcome{}, "Attempt 6 failed with status 429. Retrying\n    at f (x.js:1)\n}", 143)
	require.Equal(t, RateLimited, f.Kind)
	require.Equal(t, "it ended with exit status 143 before its reply was complete: Attempt 6 failed with status 429. Retrying", f.Message)
}

func TestTriesThatACLITellsOfAreCounted(t *testing.T) {
	t.Parallel()
	const line = "Attempt 3 failed with status 429. Retrying with backoff... _ApiError: {}"
	require.Equal(t, 3, Retry(Gemini, line))
	require.Zero(t, Retry(Claude, line))
	require.Zero(t, Retry(Gemini, "it said: "+line))
}
