package proc

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestTail(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"short output is whole":              {"a\nb\n", "a\nb"},
		"only the last lines":                {"a\nb\nc\nd\n", "[...]\nb\nc\nd"},
		"only the last bytes":                {strings.Repeat("x", 50), "[...]\n" + strings.Repeat("x", 20)},
		"colours go":                         {"\x1b[31mred\x1b[0m \x1b]0;title\x07x", "red x"},
		"a redrawn line shows its last form": {"10%\r50%\r100%\nok\r\n", "100%\nok"},
		"control characters go":              {"a\x00b\x7f\x08c\td", "abc\td"},
		"invalid bytes are marked":           {"a\xff", "a\uFFFD"},
		"blank lines at the end go":          {"a\n\n \n\t\n", "a"},
		"nothing is nothing":                 {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, Tail([]byte(c.in), 3, 20))
		})
	}
}

func FuzzTail(f *testing.F) {
	f.Add([]byte("a\r\x1b[1mb\n\xff"))
	f.Add([]byte(strings.Repeat("世界\n", 400)))
	f.Fuzz(func(t *testing.T, output []byte) {
		got := Tail(output, 5, 100)
		if !utf8.ValidString(got) {
			t.Errorf("not valid UTF-8: %q", got)
		}
		if len(got) > 100+len("[...]\n") || strings.Count(got, "\n") > 5 {
			t.Errorf("too much: %q", got)
		}
		if strings.ContainsAny(got, "\x1b\r\x00") {
			t.Errorf("control characters: %q", got)
		}
	})
}
