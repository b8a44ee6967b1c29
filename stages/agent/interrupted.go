package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/taskpipeline/pipeline/stages/agentlog"
)

// maxUnheard bounds how much of raw output is looked at for a reply.
const maxUnheard = 64 << 20

// unheard looks for a reply that was complete when the run was cut off: in the
// raw output behind the last send, if that was of this very step.
func (b *book) unheard(c *conversation) (*said, error) {
	if c.req.AgentDir == "" || c.CLI == "" {
		return nil, nil
	}
	raw, err := tailOf(c.inAgentDir("raw_output.jsonl"), maxUnheard)
	if err != nil || raw == nil {
		return nil, err
	}
	start := bytes.LastIndex(raw, []byte(`{"type":"pipeline_send",`))
	if start < 0 || start > 0 && raw[start-1] != '\n' {
		return nil, nil
	}
	line, rest, _ := bytes.Cut(raw[start:], []byte("\n"))
	var s sent
	if json.Unmarshal(line, &s) != nil || s.Task != string(c.req.Step.Task) || s.Stage != string(c.req.Step.Stage) ||
		s.Attempt != c.req.Step.Attempt || s.Round != max(c.req.Step.Round, 1) {
		return nil, nil
	}
	r := agentlog.NewReader(agentlog.CLI(c.CLI), nil)
	_, _ = r.Write(rest) // a Reader takes everything
	_ = r.Close()
	o := r.Outcome()
	if !o.Ended || o.Fault != nil || o.Final == "" {
		return nil, nil
	}
	return &said{text: o.Final}, nil
}

// tailOf is the end of a file, at most so many bytes; nil if it is not there.
func tailOf(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-most), most))
}
