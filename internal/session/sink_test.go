package session

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/taskpipeline/pipeline/stages"
)

func TestSaveWritesIntoTheFolderOfTheStep(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	sink := (&Sinks{Session: s}).Sink(step())
	require.NoError(t, sink.Save("dispatch-1.xml", []byte("<dispatch/>")))
	require.NoError(t, sink.Save("prompts/0001-user.md", []byte("hello")))
	require.NoError(t, sink.Save("dispatch-1.xml", []byte("<dispatch>again</dispatch>")))
	dir := s.AgentDir("TASK-03-builder")
	require.Equal(t, "<dispatch>again</dispatch>", text(t, filepath.Join(dir, "dispatch-1.xml")))
	require.Equal(t, "hello", text(t, filepath.Join(dir, "prompts", "0001-user.md")))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 2, "a temporary file was left")
}

func TestSaveRefusesNamesThatLeaveTheFolder(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	sink := (&Sinks{Session: s}).Sink(step())
	for _, name := range []string{"", ".", "..", "../x", "a/../../x", "/etc/x", "a//b", "a/", "./a", `..\x`, "a\x00b", "a\nb", "a\x1bb", strings.Repeat("x", 600)} {
		require.ErrorContains(t, sink.Save(name, nil), "TASK-03/builder#1: file name", "%q", name)
	}
	require.NoFileExists(t, filepath.Join(s.Dir, "x"))
}

func TestNoSymbolicLinkLeadsASavedFileOutOfTheSession(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	outside := t.TempDir()
	require.NoError(t, os.Symlink(outside, s.AgentDir("TASK-03-builder")))
	sink := (&Sinks{Session: s}).Sink(step())
	require.Error(t, sink.Save("dispatch-1.xml", []byte("x")))
	_, err := io.WriteString(sink.Output(), "lost")
	require.NoError(t, err)
	left, err := os.ReadDir(outside)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestALinkInPlaceOfASavedFileIsReplacedNotFollowed(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	outside := filepath.Join(t.TempDir(), "precious")
	write(t, outside, "mine")
	require.NoError(t, os.Mkdir(s.AgentDir("TASK-03-builder"), 0o755))
	link := filepath.Join(s.AgentDir("TASK-03-builder"), "dispatch-1.xml")
	require.NoError(t, os.Symlink(outside, link))
	require.NoError(t, (&Sinks{Session: s}).Sink(step()).Save("dispatch-1.xml", []byte("x")))
	require.Equal(t, "mine", text(t, outside))
	require.Equal(t, "x", text(t, link))
}

func TestOutputOfAllStepsOfAnAgentIsAppendedLive(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	sinks := &Sinks{Session: s}
	path := filepath.Join(s.AgentDir("TASK-03-builder"), "raw_output.jsonl")
	first := sinks.Sink(step())
	_, err := io.WriteString(first.Output(), "one\n")
	require.NoError(t, err)
	require.Equal(t, "one\n", text(t, path), "not live")
	require.NoError(t, first.(io.Closer).Close())
	again := step()
	again.Attempt = 2
	second := sinks.Sink(again)
	_, err = io.WriteString(second.Output(), "two\n")
	require.NoError(t, err)
	require.Equal(t, "one\ntwo\n", text(t, path))
	require.NoError(t, second.(io.Closer).Close())
}

func TestOutputAfterCloseIsDropped(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	sink := (&Sinks{Session: s}).Sink(step())
	require.NoError(t, sink.(io.Closer).Close())
	n, err := io.WriteString(sink.Output(), "late")
	require.NoError(t, err)
	require.Equal(t, 4, n)
	require.NoFileExists(t, filepath.Join(s.AgentDir("TASK-03-builder"), "raw_output.jsonl"))
}

var markPattern = regexp.MustCompile(`\n\{"type":"output_cut","bytes": *(\d+)\}\n`)

func TestOutputOverItsLimitLosesItsMiddleToAMarkThatCountsIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.Int64Range(minLimit, 8*minLimit).Draw(t, "limit")
		earlier := rapid.StringMatching(`[a-z]{0,50}`).Draw(t, "earlier")
		path := filepath.Join(dir, "raw")
		if err := os.WriteFile(path, []byte(earlier), 0o644); err != nil {
			t.Fatal(err)
		}
		o := output{
			limit: limit, open: func() (*os.File, error) { return os.OpenFile(path, os.O_RDWR, 0) },
			enter: func(write func() error) error { return write() },
		}
		var all []byte
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, 3000), 0, 30).Draw(t, "writes") {
			var piece []byte
			for len(piece) < n {
				piece = fmt.Appendf(piece, "%d ", len(all)+len(piece))
			}
			all = append(all, piece...)
			if _, err := o.Write(piece); err != nil {
				t.Fatal(err)
			}
		}
		if err := o.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := bytes.CutPrefix(got, []byte(earlier))
		if !ok {
			t.Fatalf("an earlier step's output was touched")
		}
		if int64(len(got)) > limit {
			t.Fatalf("%d bytes are kept, the limit is %d", len(got), limit)
		}
		mark := markPattern.FindSubmatchIndex(got)
		if mark == nil {
			if !bytes.Equal(got, all) {
				t.Fatalf("changed without a mark")
			}
			return
		}
		cut, err := strconv.Atoi(string(got[mark[2]:mark[3]]))
		if err != nil {
			t.Fatal(err)
		}
		head, tail := got[:mark[0]], got[mark[1]:]
		if !bytes.HasPrefix(all, head) || !bytes.HasSuffix(all, tail) || len(head)+cut+len(tail) != len(all) {
			t.Fatalf("%d + %d cut + %d kept of %d", len(head), cut, len(tail), len(all))
		}
		if int64(len(head)) != limit/2 || int64(len(tail)) < limit/4-64 {
			t.Fatalf("limit %d, head %d, tail %d", limit, len(head), len(tail))
		}
	})
}

func TestOutputIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	sink := (&Sinks{Session: s, Limit: 1 << 20}).Sink(step())
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				fmt.Fprintln(sink.Output(), "a whole line")
			}
		})
	}
	wg.Wait()
	got := text(t, filepath.Join(s.AgentDir("TASK-03-builder"), "raw_output.jsonl"))
	require.Equal(t, strings.Repeat("a whole line\n", 800), got)
	require.NoError(t, sink.(io.Closer).Close())
}

func TestEvidenceGoesToTheOwnerOfTheRecord(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	refused := errors.New("no")
	var got stages.Evidence
	sinks := &Sinks{Session: s, Evidence: func(at stages.Step, e stages.Evidence) error {
		require.Equal(t, step(), at)
		got = e
		return refused
	}}
	require.ErrorIs(t, sinks.Sink(step()).Evidence(stages.Evidence{Type: "warning", Text: "look"}), refused)
	require.Equal(t, "look", got.Text)
	require.NoError(t, (&Sinks{Session: s}).Sink(step()).Evidence(got))
}
