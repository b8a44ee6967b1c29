package session

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/scheduler"
)

func TestWhatIsAppendedIsReadBack(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	j, past, err := s.Journal()
	require.NoError(t, err)
	require.Empty(t, past)
	want := []scheduler.Event{*event(1, scheduler.RunStarted), *event(2, scheduler.StageFinished)}
	want[1].Result = &dispatch.Result{Status: dispatch.Pass, Summary: "a & b <c>"}
	for i := range want {
		require.NoError(t, j.Append(&want[i]))
	}
	require.NoError(t, j.Sync())
	got, err := s.Read()
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.NoError(t, j.Close())
	require.Contains(t, text(t, s.EventsFile()), `"a & b <c>"`)
}

func TestAJournalGoesOnWhereItEnded(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	record(t, s, scheduler.RunStarted)
	record(t, s, scheduler.RunJoined, scheduler.RunFinished)
	got, err := s.Read()
	require.NoError(t, err)
	require.Len(t, got, 3)
	require.Equal(t, scheduler.RunJoined, got[1].Type)
}

func TestAppendRefusesASeqThatLeavesAGap(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	j, _, err := s.Journal()
	require.NoError(t, err)
	require.ErrorContains(t, j.Append(event(2, scheduler.RunStarted)), "the next seq")
	require.NoError(t, j.Append(event(1, scheduler.RunStarted)))
	require.ErrorContains(t, j.Append(event(1, scheduler.RunStarted)), "the next seq")
	require.NoError(t, j.Close())
}

func TestATornLastLineIsDroppedWhereverItIsTorn(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	record(t, s, scheduler.RunStarted, scheduler.TaskStarted)
	whole := text(t, s.EventsFile())
	first := strings.Index(whole, "\n") + 1
	for cut := range len(whole) {
		write(t, s.EventsFile(), whole[:cut])
		got, err := s.Read()
		require.NoError(t, err, "cut at %d", cut)
		require.Equal(t, cut >= first, len(got) == 1, "cut at %d", cut)
		require.Equal(t, whole[:cut], text(t, s.EventsFile()), "reading wrote")
	}
}

func TestOpeningForWritingCutsATornLineOff(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	record(t, s, scheduler.RunStarted)
	whole := text(t, s.EventsFile())
	write(t, s.EventsFile(), whole+`{"v":1,"seq":2,"ty`)
	record(t, s, scheduler.RunJoined)
	got, err := s.Read()
	require.NoError(t, err)
	require.Len(t, got, 2)
	require.True(t, strings.HasPrefix(text(t, s.EventsFile()), whole+`{"v":1,"seq":2,"time"`))
}

func TestABadLineIsAnErrorThatNamesIt(t *testing.T) {
	t.Parallel()
	good := `{"v":1,"seq":%d,"time":"2026-03-12T10:35:00Z","type":"task_started"}` + "\n"
	for name, bad := range map[string]string{
		"not JSON":      "nonsense\n",
		"empty":         "\n",
		"cut":           `{"v":1,"seq":2` + "\n",
		"NUL":           "\x00\x00\n",
		"array":         "[]\n",
		"no type":       `{"v":1,"seq":2,"time":"2026-03-12T10:35:00Z"}` + "\n",
		"later version": `{"v":2,"seq":2,"time":"2026-03-12T10:35:00Z","type":"task_started"}` + "\n",
		"no version":    `{"seq":2,"time":"2026-03-12T10:35:00Z","type":"task_started"}` + "\n",
		"wrong type":    `{"v":1,"seq":2,"time":"2026-03-12T10:35:00Z","type":"task_started","attempt":"one"}` + "\n",
		"bad time":      `{"v":1,"seq":2,"time":"today","type":"task_started"}` + "\n",
		"not UTF-8":     `{"v":1,"seq":2,"time":"2026-03-12T10:35:00Z","type":"task_started","reason":"` + "\xff\"}\n",
		"two objects":   strings.TrimSuffix(fmt.Sprintf(good, 2), "\n") + "{}\n",
	} {
		s := fresh(t)
		write(t, s.EventsFile(), fmt.Sprintf(good, 1)+bad+fmt.Sprintf(good, 3))
		_, err := s.Read()
		var broken *RecordError
		require.ErrorAs(t, err, &broken, name)
		require.Equal(t, 2, broken.Line, name)
		require.ErrorContains(t, err, s.EventsFile()+":2: ", name)
		_, _, err = s.Journal()
		require.ErrorAs(t, err, &broken, name)
	}
}

func TestASeqGapIsAnErrorThatNamesTheLine(t *testing.T) {
	t.Parallel()
	for _, second := range []int64{1, 3, 0, -1} {
		s := fresh(t)
		a, err := Encode(event(1, scheduler.RunStarted))
		require.NoError(t, err)
		b, err := Encode(event(second, scheduler.TaskStarted))
		require.NoError(t, err)
		write(t, s.EventsFile(), string(a)+string(b))
		_, err = s.Read()
		require.ErrorContains(t, err, fmt.Sprintf(":2: seq %d where 2 was expected", second))
	}
}

func TestUnknownTypesAndFieldsAreIgnored(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	write(t, s.EventsFile(), `{"v":1,"seq":1,"time":"2026-03-12T10:35:00Z","type":"run_started","colour":"red"}
{"v":1,"seq":2,"time":"2026-03-12T10:35:00Z","type":"weather","attempt":{"in":"another shape"}}
{"v":1,"seq":3,"time":"2026-03-12T10:35:00Z","type":"run_finished"}
`)
	got, err := s.Read()
	require.NoError(t, err)
	require.Len(t, got, 3)
	require.Equal(t, scheduler.Type("weather"), got[1].Type)
	require.EqualValues(t, 2, got[1].Seq)
}

func TestALineIsBounded(t *testing.T) {
	t.Parallel()
	e := event(1, scheduler.Warning)
	e.Reason = strings.Repeat("x", MaxLine)
	_, err := Encode(e)
	require.ErrorContains(t, err, "at most 67108864 fit a line")

	s := fresh(t)
	f, err := os.Create(s.EventsFile())
	require.NoError(t, err)
	require.NoError(t, f.Truncate(MaxLine+1))
	require.NoError(t, f.Close())
	_, err = s.Read()
	require.ErrorContains(t, err, ":1: longer than")
}

func TestAnyEventIsOneLineOfValidUTF8(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		hostile := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"a\nb", "\r\n", "\u2028", "\x00", "\xff\xfe", `"}` + "\n" + `{"v":1`, "\x1b[31m"}))
		e := event(1, scheduler.StageFinished)
		e.Reason = hostile.Draw(t, "reason")
		e.Paths = rapid.SliceOf(hostile).Draw(t, "paths")
		e.State = []byte("{\n\"a\": \"\xff\"\n}")
		line, err := Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		if !utf8.Valid(line) || strings.Count(string(line), "\n") != 1 || line[len(line)-1] != '\n' {
			t.Fatalf("not one line of UTF-8: %q", line)
		}
		back, err := decode(line[:len(line)-1])
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.ToValidUTF8(e.Reason, "\uFFFD"); utf8.ValidString(e.Reason) && back.Reason != want {
			t.Fatalf("%q became %q", want, back.Reason)
		}
	})
}

func TestConcurrentAppendsAreAllOnDiskOnceSynced(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	j, _, err := s.Journal()
	require.NoError(t, err)
	var (
		wg  sync.WaitGroup
		mu  sync.Mutex
		seq int64
	)
	for range 8 {
		wg.Go(func() {
			for range 50 {
				mu.Lock()
				seq++
				err := j.Append(event(seq, scheduler.AgentSent))
				mu.Unlock()
				if err == nil {
					err = j.Sync()
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	require.Equal(t, j.written, j.synced)
	got, err := s.Read()
	require.NoError(t, err)
	require.Len(t, got, 400)
	require.NoError(t, j.Close())
}

func TestAfterAWriteErrorTheJournalTakesNoMore(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	j, _, err := s.Journal()
	require.NoError(t, err)
	require.NoError(t, j.file.Close())
	require.ErrorIs(t, j.Append(event(1, scheduler.RunStarted)), os.ErrClosed)
	require.ErrorIs(t, j.Append(event(1, scheduler.RunStarted)), os.ErrClosed)
	require.ErrorIs(t, j.Sync(), os.ErrClosed)
}

func FuzzRead(f *testing.F) {
	line, err := Encode(event(1, scheduler.RunStarted))
	require.NoError(f, err)
	f.Add(line)
	f.Add([]byte("{\"v\":1,\"seq\":1,\"type\":\"x\"}\n{\"v\":1,\"seq\":2,\"type\":\"y\",\"tasks\":null}\n{"))
	f.Add([]byte("\n\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := newReader(strings.NewReader(string(b)), "events.jsonl")
		for {
			e, err := r.next()
			if err != nil {
				break
			}
			if e.Seq != r.seq {
				t.Fatalf("seq %d on line %d", e.Seq, r.seq)
			}
			if _, err := Encode(&e); err != nil && len(e.State) == 0 {
				t.Fatalf("read but cannot be written: %v", err)
			}
		}
		if r.end > int64(len(b)) || r.end > 0 && b[r.end-1] != '\n' {
			t.Fatalf("ends at %d of %d", r.end, len(b))
		}
	})
}

func BenchmarkRead100000(b *testing.B) {
	s := fresh(b)
	j, _, err := s.Journal()
	require.NoError(b, err)
	for i := range int64(100_000) {
		e := event(i+1, scheduler.StageFinished)
		e.Task, e.Stage, e.Attempt = "TASK-03", dispatch.Builder, 1
		e.Result = &dispatch.Result{Status: dispatch.Pass, Summary: strings.Repeat("word ", 40)}
		require.NoError(b, j.Append(e))
	}
	require.NoError(b, j.Close())
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for _, err := range s.Events() {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		require.Equal(b, 100_000, n)
	}
}

func BenchmarkAppendSync(b *testing.B) {
	for _, writers := range []int{1, 8} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			s := fresh(b)
			j, _, err := s.Journal()
			require.NoError(b, err)
			var (
				mu  sync.Mutex
				seq int64
			)
			b.SetParallelism(writers)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					mu.Lock()
					seq++
					err := j.Append(event(seq, scheduler.AgentSent))
					mu.Unlock()
					if err != nil || j.Sync() != nil {
						b.Error(err)
					}
				}
			})
			require.NoError(b, j.Close())
		})
	}
}
