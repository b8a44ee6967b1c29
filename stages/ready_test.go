package stages_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

type notReady struct{ stages.Func }

func (notReady) Ready(task tasks.Task) error { return errors.New("not for " + string(task.ID)) }

func TestExecutorWithoutReadyIsReady(t *testing.T) {
	t.Parallel()
	require.NoError(t, stages.Ready(untilCut, tasks.Task{}))
}

func TestDecoratedExecutorIsAsReadyAsTheInnerOne(t *testing.T) {
	t.Parallel()
	e := stages.Timeout(stages.IdleTimeout(notReady{}, time.Minute), time.Hour)
	require.EqualError(t, stages.Ready(e, tasks.Task{ID: "TASK-03"}), "not for TASK-03")
}
