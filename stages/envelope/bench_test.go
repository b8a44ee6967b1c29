package envelope_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/taskpipeline/pipeline/stages/envelope"
)

// BenchmarkFind reads a review of 10,000 findings out of a reply, beside what
// encoding/json alone takes for it.
func BenchmarkFind(b *testing.B) {
	finding := `{"requirement":"it is so","met":true,"evidence":"seen in main.go"}`
	reply := []byte(`{"status":"success","approved":true,"findings":[` + strings.Repeat(finding+",", 9_999) + finding + `]}`)
	b.Run("strict", func(b *testing.B) {
		b.SetBytes(int64(len(reply)))
		for b.Loop() {
			if _, _, err := envelope.Find(envelope.Review, reply); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("json", func(b *testing.B) {
		b.SetBytes(int64(len(reply)))
		for b.Loop() {
			var v envelope.ReviewOutput
			if err := json.Unmarshal(reply, &v); err != nil {
				b.Fatal(err)
			}
		}
	})
}
