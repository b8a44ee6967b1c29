package secret

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const value = `p<4>"\ü/&x y'z`

func one(v string) *Set { return New([]Secret{{"TOKEN", v}}) }

func TestSecretIsFoundInEverySpelling(t *testing.T) {
	t.Parallel()
	asJSON, err := json.Marshal(value)
	require.NoError(t, err)
	twice, err := json.Marshal(string(asJSON))
	require.NoError(t, err)
	var inXML bytes.Buffer
	require.NoError(t, xml.EscapeText(&inXML, []byte(value)))
	for name, text := range map[string]string{
		"as it is": value, "JSON": string(asJSON), "JSON in JSON": string(twice), "XML": inXML.String(),
		"query": url.QueryEscape(value), "path": url.PathEscape(value), "Go": strconv.Quote(value), "ASCII": strconv.QuoteToASCII(value),
		"base64": base64.StdEncoding.EncodeToString([]byte(value)), "base64 of more": base64.StdEncoding.EncodeToString([]byte("user:" + value + "\n")),
		"base64 for URLs": base64.RawURLEncoding.EncodeToString([]byte(value)), "hexadecimal": hex.EncodeToString([]byte(value)),
	} {
		require.Equal(t, "TOKEN", one(value).In([]byte("x"+text+"y")), "%s: %s", name, text)
		require.NotContains(t, one(value).Text("x "+text+" y"), text, name)
	}
}

func TestShortValueIsNoSecret(t *testing.T) {
	t.Parallel()
	require.Nil(t, one("abc"))
	require.NotNil(t, one("abcd"))
	require.Equal(t, "abc", New(nil).Text("abc"))
}

func TestEachLineOfAKeyIsASecret(t *testing.T) {
	t.Parallel()
	s := one("-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nAQEFAASCBKcwggSjAgEAAoIB\n-----END KEY-----\n")
	require.Equal(t, "has [secret TOKEN] in it", s.Text("has AQEFAASCBKcwggSjAgEAAoIB in it"))
	require.Empty(t, s.In([]byte("-----BEGIN KEY-----")))
}

func TestMaskedTextStaysAsItIsWhenItIsMaskedAgain(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := New([]Secret{{"A", rapid.StringN(4, 8, -1).Draw(t, "a")}, {"secret", rapid.StringN(4, 8, -1).Draw(t, "b")}})
		text := rapid.String().Draw(t, "text")
		once := s.Text(text)
		require.Equal(t, once, s.Text(once))
		require.Empty(t, s.In([]byte(once)))
	})
}

func TestSecretThatIsSpreadOverWritesIsMasked(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := New([]Secret{{"TOKEN", "abababc"}, {"OTHER", "babx"}})
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"a", "b", "ab", "c", "x", "abababc", "babx", "\\", "\n", "-"})).Draw(t, "text"), "")
		var got bytes.Buffer
		w := s.Writer(&got)
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			_, err := w.Write([]byte(rest[:n]))
			require.NoError(t, err)
			rest = rest[n:]
			require.LessOrEqual(t, len(w.held), s.longest, "it holds back no more than a secret")
		}
		require.NoError(t, w.Flush())
		require.Empty(t, s.In(got.Bytes()))
		require.Equal(t, string(s.Bytes([]byte(text))), got.String())
	})
}

func TestJSONStaysJSON(t *testing.T) {
	t.Parallel()
	s := New([]Secret{{"TOKEN", `a"b\c`}, {"NUMBER", "123456"}})
	raw, err := json.Marshal(map[string]any{`k a"b\c`: []any{`x a"b\c y`, 123456, "\u0061\"b\\c", nil}, "n": json.Number("0.1234567")})
	require.NoError(t, err)
	masked := s.JSON(raw)
	require.True(t, json.Valid(masked), "%s", masked)
	require.Empty(t, s.In(masked), "%s", masked)
	require.JSONEq(t, `{"k":"v"}`, string(s.JSON(json.RawMessage(`{"k":"v"}`))))
	require.Equal(t, "x [secret TOKEN]", string(s.JSON(json.RawMessage(`x a"b\c`))), "what is no JSON is a text")
}

func TestPartOfASecretWhereATextWasCutIsMasked(t *testing.T) {
	t.Parallel()
	s := one("correct-horse-battery")
	require.Equal(t, "it is [secret TOKEN]…", s.Text("it is correct-hor…"))
	require.Equal(t, "…[secret TOKEN] it is", s.Text("…battery it is"))
	require.Equal(t, "[...]\n[secret TOKEN] it is", s.Text("[...]\nse-battery it is"))
	require.Equal(t, "it is correct-hor", s.Text("it is correct-hor"), "nothing was cut")
	require.Equal(t, "it is cor…", s.Text("it is cor…"))
}

func TestFilesAreMaskedInPlaceAndKeepTheirLength(t *testing.T) {
	t.Parallel()
	s := one("correct-horse-battery")
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(file(name)), 0o755))
		require.NoError(t, os.WriteFile(file(name), []byte(text), 0o600))
	}
	write("old.bin", "correct-horse-battery")
	was := Look(dir)
	write("a/b.bin", "\x00\x01correct-horse-battery\xff"+strings.Repeat("x", searchBlock)+"correct-horse-battery")
	write("clean.txt", "nothing")
	write("correct-horse-battery.txt", "nothing")
	outside := filepath.Join(t.TempDir(), "outside")
	require.NoError(t, os.WriteFile(outside, []byte("correct-horse-battery"), 0o600))
	require.NoError(t, os.Symlink(outside, file("link")))
	require.NoError(t, os.Link(outside, file("hard")))

	found, err := s.Scrub(context.Background(), was, dir)
	require.NoError(t, err)
	require.Len(t, found, 3)
	b, err := os.ReadFile(file("a/b.bin"))
	require.NoError(t, err)
	stars := strings.Repeat("*", len("correct-horse-battery"))
	require.Equal(t, "\x00\x01"+stars+"\xff"+strings.Repeat("x", searchBlock)+stars, string(b))
	for name, want := range map[string]string{"old.bin": "correct-horse-battery", "hard": stars, "[secret TOKEN].txt": "nothing"} {
		b, err := os.ReadFile(file(name))
		require.NoError(t, err)
		require.Equal(t, want, string(b), name)
	}
	b, err = os.ReadFile(outside)
	require.NoError(t, err)
	require.Equal(t, "correct-horse-battery", string(b), "what lies elsewhere is none of our business")
}

func FuzzText(f *testing.F) {
	f.Add("correct-horse", "it is correct-horse…")
	f.Fuzz(func(t *testing.T, value, text string) {
		s := one(value)
		if s == nil {
			return
		}
		require.Empty(t, s.In([]byte(s.Text(text))))
		require.Empty(t, s.In(s.JSON(json.RawMessage(text))))
	})
}
