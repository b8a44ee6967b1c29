package view

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/stages"
)

func TestSessionsAreListedWithWhatBecameOfThem(t *testing.T) {
	t.Parallel()
	list := []Session{
		{ID: "01JPABCDEFGHJKMNPQRSTVWXYZ", Work: "WORK-02", State: "running", Updated: later.Add(-10 * time.Second), Usage: &stages.Usage{Sends: 4, InputTokens: 12000, OutputTokens: 345, USD: 0.4}},
		{ID: "01JP9BCDEFGHJKMNPQRSTVWXYZ", Work: "WORK-01", State: "failed", Updated: later.Add(-3 * time.Hour), Totals: &scheduler.Totals{Done: 3, Failed: 1, NotStarted: 2}},
		{ID: "nightly", Work: "", State: "broken", Updated: later.Add(-72 * time.Hour), Problem: ".pipeline/sessions/nightly/events.jsonl:3: not JSON"},
	}
	var b strings.Builder
	require.NoError(t, Sessions(&b, list, Style{}, later))
	require.Equal(t, strings.TrimPrefix(`
01JPABCDEFGHJKMNPQRSTVWXYZ  WORK-02  running  just now  $0.40
01JP9BCDEFGHJKMNPQRSTVWXYZ  WORK-01  failed     3h ago         3 done, 1 failed…
nightly                              broken     3d ago         .pipeline/sessio…

next: pipeline status 01JPABCDEFGHJKMNPQRSTVWXYZ  # look at the last one
`, "\n"), b.String())
}

func TestAProjectWithoutSessionsSaysHowToStartOne(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	require.NoError(t, Sessions(&b, nil, Style{}, later))
	require.Equal(t, "no sessions yet\nnext: pipeline run  # start one\n", b.String())
}

func TestDurationsTakeFewColumns(t *testing.T) {
	t.Parallel()
	for want, d := range map[string]time.Duration{
		"0.0s": -time.Second, "0.4s": 400 * time.Millisecond, "59.9s": 59940 * time.Millisecond, "1m00s": 59960 * time.Millisecond,
		"2m03s": 123 * time.Second, "1h00m": 3599900 * time.Millisecond, "1h02m": 62 * time.Minute, "3d04h": 76 * time.Hour,
	} {
		require.Equal(t, want, took(d))
	}
	require.Equal(t, "41s", inAll(41200*time.Millisecond))
	require.Equal(t, "1:02:03", onClock(3723*time.Second))
}

func TestAFolderIsQuotedForAShellOnlyIfItMustBe(t *testing.T) {
	t.Parallel()
	require.Equal(t, "plans/인증-01", quoted("plans/인증-01"))
	require.Equal(t, `'it'\''s; rm -rf ~'`, quoted("it's; rm -rf ~"))
	require.Equal(t, "''", quoted(""))
}
