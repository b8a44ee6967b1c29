package secret

import (
	"bytes"
	"fmt"
	"io"
	"testing"
)

// BenchmarkWriter masks output that holds no secret, as nearly all does, by the
// number of secrets.
func BenchmarkWriter(b *testing.B) {
	line := []byte("ok  \tgithub.com/somebody/something/internal/thing\t0.123s\tcoverage: 87.5% of statements\n")
	block := bytes.Repeat(line, 400)
	for _, n := range []int{1, 5} {
		var secrets []Secret
		for i := range n {
			secrets = append(secrets, Secret{"TOKEN", fmt.Sprintf("sk-live-%d/abcdefghijklmnop", i)})
		}
		s := New(secrets)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			w := s.Writer(io.Discard)
			b.SetBytes(int64(len(block)))
			for b.Loop() {
				_, _ = w.Write(block)
			}
		})
	}
}
