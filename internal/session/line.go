package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/taskpipeline/pipeline/scheduler"
)

// MaxLine is the largest line of events.jsonl, in bytes, its LF included.
const MaxLine = 64 << 20

// Encode is an event's line as it stands in events.jsonl: one JSON object in
// valid UTF-8, and the LF that ends it. Whatever its strings hold, there is no
// other LF.
func Encode(e *scheduler.Event) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return nil, fmt.Errorf("event %d (%s): %w", e.Seq, e.Type, err)
	}
	line := b.Bytes()
	if !utf8.Valid(line) { // an executor's State is copied as it is
		line = bytes.ToValidUTF8(line, []byte("\uFFFD"))
	}
	if len(line) > MaxLine {
		return nil, fmt.Errorf("event %d (%s): %d bytes, at most %d fit a line of %s", e.Seq, e.Type, len(line), MaxLine, eventsFile)
	}
	return line, nil
}

// decode reads a line without its LF.
func decode(line []byte) (scheduler.Event, error) {
	if !utf8.Valid(line) {
		return scheduler.Event{}, errors.New("not valid UTF-8")
	}
	var e scheduler.Event
	err := json.Unmarshal(line, &e)
	if mismatch := new(json.UnmarshalTypeError); errors.As(err, &mismatch) {
		// A later version may give a known field another shape in a type of
		// event that it adds; such an event only has to keep its place.
		if head, ok := decodeHead(line); ok && !known(head.Type) {
			e, err = head, nil
		}
	}
	switch {
	case err != nil:
		return scheduler.Event{}, fmt.Errorf("not an event: %w", err)
	case e.V != scheduler.Version:
		return scheduler.Event{}, fmt.Errorf("version %d of the event format; this pipeline reads version %d", e.V, scheduler.Version)
	case e.Type == "":
		return scheduler.Event{}, errors.New(`not an event: no "type"`)
	}
	return e, nil
}

func decodeHead(line []byte) (scheduler.Event, bool) {
	var head struct {
		V    int            `json:"v"`
		Seq  int64          `json:"seq"`
		Type scheduler.Type `json:"type"`
	}
	err := json.Unmarshal(line, &head)
	return scheduler.Event{V: head.V, Seq: head.Seq, Type: head.Type}, err == nil
}

func known(t scheduler.Type) bool {
	switch t {
	case scheduler.RunStarted, scheduler.RunJoined, scheduler.TaskRespecified,
		scheduler.StageStarted, scheduler.StageFinished, scheduler.LandingFinished,
		scheduler.WaitStarted, scheduler.WaitEnded, scheduler.Command,
		scheduler.TaskStarted, scheduler.TaskLanded, scheduler.TaskFailed,
		scheduler.TaskSkipped, scheduler.RunHalted, scheduler.RunFinished,
		scheduler.AgentSent, scheduler.AgentReplied, scheduler.AgentTool, scheduler.AgentText, scheduler.Warning:
		return true
	}
	return false
}
