package scheduler_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

// layered is a graph of n TASKs in layers of 100, each TASK on three of the
// layer before.
func layered(t testing.TB, n int) *tasks.Graph {
	list := make([]tasks.Task, n)
	for i := range list {
		list[i] = tasks.Task{ID: id(i + 1), Title: "no-op", File: string(id(i+1)) + ".md", Spec: "nothing to do\n", SpecHash: "sha256:1"}
		if base := i - i%100 - 100; base >= 0 {
			for k := range 3 {
				list[i].Deps = append(list[i].Deps, id(base+(i+k*31)%100+1))
			}
		}
	}
	g, problems := tasks.NewGraph(list)
	require.Empty(t, problems)
	return g
}

// BenchmarkRun performs whole graphs of no-op stages in process: builder,
// verifier, committer and landing of each TASK, without a repository.
func BenchmarkRun(b *testing.B) { benchmarkRun(b, nil) }

// BenchmarkRunWithMessages does the same and writes both messages of each
// stage, to a sink that keeps nothing.
func BenchmarkRunWithMessages(b *testing.B) {
	benchmarkRun(b, func(scheduler.Step, func(stages.Evidence) error) stages.Sink { return stages.Discard })
}

func benchmarkRun(b *testing.B, sinks scheduler.Sinks) {
	noop := pass("nothing")
	x := stages.Func(func(context.Context, stages.Request) (stages.Response, error) { return noop, nil })
	for _, n := range []int{1000, 10000, 100000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			g := layered(b, n)
			b.ReportAllocs()
			for b.Loop() {
				r := &scheduler.Runner{Executors: map[string]stages.Executor{"x": x}, Stages: scheduler.StageNames{Builder: "x", Verifier: "x"},
					Jobs: runtime.NumCPU(), Sinks: sinks, Opening: scheduler.Event{Session: "s", Work: "W", Folder: "tasks"}}
				v, err := r.Run(b.Context(), g)
				if err != nil || v != scheduler.AllDone {
					b.Fatal(v, err)
				}
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/TASK")
			b.ReportMetric(float64(m.Sys)/(1<<20), "MiB-sys")
		})
	}
}
