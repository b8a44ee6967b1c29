package scheduler

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
)

// keepDispatch writes what the step is told into the step's folder and returns
// its sha256. A dispatch that is too long to be sent is shortened first.
func (j *job) keepDispatch() (string, error) {
	if j.Sinks == nil {
		return "", nil
	}
	var b bytes.Buffer
	if err := j.dispatch.Encode(&b); err != nil {
		return "", err
	}
	if b.Len() > dispatch.MaxSize {
		if err := j.shorten(); err != nil {
			return "", err
		}
		b.Reset()
		if err := j.dispatch.Encode(&b); err != nil {
			return "", err
		}
	}
	return j.keep("dispatch-", b.Bytes())
}

// shorten cuts the dispatch to size, and says what was cut.
func (j *job) shorten() error {
	short, cuts := j.dispatch.Limit(dispatch.MaxSize)
	j.dispatch = short
	for _, c := range cuts {
		text := fmt.Sprintf("the dispatch would be too long: %s of %s was cut from %d to %d bytes",
			c.Field, cmp.Or(string(c.Task), "the last failure"), c.From, c.To)
		if err := j.sink.Evidence(stages.Evidence{Type: string(Warning), Text: text}); err != nil {
			return err
		}
	}
	return nil
}

// keepResult writes what the step answered, as it was printed or rendered, and
// returns its sha256.
func (j *job) keepResult(resp *stages.Response) (string, error) {
	if j.Sinks == nil {
		return "", nil
	}
	if resp.Printed != nil {
		return j.keep("task-result-", resp.Printed)
	}
	var b bytes.Buffer
	if err := resp.Result.Encode(&b); err != nil {
		return "", err
	}
	return j.keep("task-result-", b.Bytes())
}

func (j *job) keep(prefix string, b []byte) (string, error) {
	b = j.Mask.Bytes(b)
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), j.sink.Save(prefix+j.action.Step.Number()+".xml", b)
}
