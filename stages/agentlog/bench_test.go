package agentlog_test

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"github.com/taskpipeline/pipeline/stages/agentlog"
)

// BenchmarkReader reads each CLI's recorded stream, beside a plain check that
// its lines are JSON.
func BenchmarkReader(b *testing.B) {
	for _, rec := range recordings(b) {
		if rec.name != "claude/ok" && rec.name != "pi/ok" {
			continue
		}
		stream := bytes.Repeat(rec.stream, 100)
		b.Run(rec.name, func(b *testing.B) {
			b.SetBytes(int64(len(stream)))
			for b.Loop() {
				r := agentlog.NewReader(rec.cli, nil)
				_, _ = r.Write(stream)
				_ = r.Close()
			}
		})
		b.Run(rec.name+"/json", func(b *testing.B) {
			b.SetBytes(int64(len(stream)))
			for b.Loop() {
				for dec := json.NewDecoder(bytes.NewReader(stream)); ; {
					var raw json.RawMessage
					if err := dec.Decode(&raw); err == io.EOF {
						break
					}
				}
			}
		})
	}
}
