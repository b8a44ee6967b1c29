package agentlog_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/stages/agentlog"
)

var update = flag.Bool("update", false, "write the golden files anew")

// recording is one call of a real CLI: the stream, what it wrote to standard
// error, and its exit status.
type recording struct {
	name   string // cli/situation
	cli    agentlog.CLI
	stream []byte
	stderr string
	exit   int
}

func recordings(t testing.TB) []recording {
	t.Helper()
	streams, err := filepath.Glob("testdata/*/*.jsonl")
	require.NoError(t, err)
	require.NotEmpty(t, streams)
	out := make([]recording, len(streams))
	for i, path := range streams {
		base := strings.TrimSuffix(path, ".jsonl")
		exit, err := strconv.Atoi(strings.TrimSpace(string(read(t, base+".exit"))))
		require.NoError(t, err)
		out[i] = recording{
			name: strings.TrimPrefix(base, "testdata/"), cli: agentlog.CLI(filepath.Base(filepath.Dir(path))),
			stream: read(t, path), stderr: string(read(t, base+".stderr")), exit: exit,
		}
	}
	return out
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return b
}

// heard is what a reader makes of a stream that arrives in pieces of n bytes.
func heard(c agentlog.CLI, stream []byte, n int) (agentlog.Outcome, []agentlog.Event) {
	var events []agentlog.Event
	r := agentlog.NewReader(c, func(e agentlog.Event) { events = append(events, e) })
	for len(stream) > 0 {
		n := min(n, len(stream))
		_, _ = r.Write(stream[:n])
		stream = stream[n:]
	}
	_ = r.Close()
	return r.Outcome(), events
}

func TestRealStreamsAreUnderstood(t *testing.T) {
	t.Parallel()
	var got bytes.Buffer
	for _, rec := range recordings(t) {
		outcome, events := heard(rec.cli, rec.stream, 1<<20)
		fmt.Fprintf(&got, "== %s\n", rec.name)
		for _, e := range events {
			fmt.Fprintln(&got, inJSON(t, e))
		}
		fault := agentlog.Diagnose(rec.cli, outcome, rec.stderr, rec.exit)
		outcome.Fault = nil
		fmt.Fprintf(&got, "outcome %s\nfault %s\n", inJSON(t, outcome), inJSON(t, fault))
	}
	const golden = "testdata/understood.golden"
	if *update {
		require.NoError(t, os.WriteFile(golden, got.Bytes(), 0o644))
	}
	require.Equal(t, string(read(t, golden)), got.String())
}

func inJSON(t testing.TB, v any) string {
	t.Helper()
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	require.NoError(t, enc.Encode(v))
	return strings.TrimSpace(b.String())
}

func TestPiecesOfAStreamDoNotMatter(t *testing.T) {
	t.Parallel()
	for _, rec := range recordings(t) {
		whole, events := heard(rec.cli, rec.stream, len(rec.stream)+1)
		for _, n := range []int{1, 7, 4096} {
			outcome, pieces := heard(rec.cli, rec.stream, n)
			require.Equal(t, whole, outcome, rec.name)
			require.Equal(t, events, pieces, rec.name)
		}
	}
}

func TestReplyCountsOnlyWhereStreamAndExitStatusAgree(t *testing.T) {
	t.Parallel()
	for _, rec := range recordings(t) {
		outcome, _ := heard(rec.cli, rec.stream, 4096)
		good := strings.HasSuffix(rec.name, "/ok") || strings.HasSuffix(rec.name, "/resumed")
		require.Equal(t, good, agentlog.Diagnose(rec.cli, outcome, rec.stderr, rec.exit) == nil, rec.name)
		if !good {
			continue
		}
		require.NotEmpty(t, outcome.Final, rec.name)
		require.NotNil(t, agentlog.Diagnose(rec.cli, outcome, rec.stderr, 1), "%s with exit status 1", rec.name)

		lines := bytes.SplitAfter(bytes.TrimSpace(rec.stream), []byte("\n"))
		cut, _ := heard(rec.cli, bytes.Join(lines[:len(lines)-1], nil), 4096)
		require.NotNil(t, agentlog.Diagnose(rec.cli, cut, "", 0), "%s without its last event", rec.name)
	}
}
