package secret

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf16"
)

const (
	minLine    = 16 // bytes: a line of a longer value that is a secret by itself
	minEncoded = 8  // characters: of base64 or hexadecimal, less is found by chance
)

// spellings are all forms in which a value is looked for; none if it is too
// short. White space around it counts for nothing: it is lost on the way.
func spellings(value string) []string {
	value = strings.TrimSpace(value)
	if len(value) < MinLength {
		return nil
	}
	whole := []string{value}
	if strings.Contains(value, "\n") {
		whole = append(whole, strings.ReplaceAll(value, "\r\n", "\n"))
		for line := range strings.SplitSeq(value, "\n") {
			line = strings.TrimSpace(line)
			if len(line) >= minLine && !strings.HasPrefix(line, "-----") { // the frame of a PEM block
				whole = append(whole, line)
			}
		}
	}
	var out []string
	for _, v := range whole {
		out = append(out, v)
		for _, once := range escaped(v) {
			out = append(out, once)
			if once != v {
				out = append(out, escaped(once)...)
			}
		}
		out = append(out, encoded(v)...)
	}
	return out
}

// escaped are the ways in which a text is written inside another language; some
// of them may leave it as it is.
func escaped(s string) []string {
	jsonText := inJSON(s, false)
	query := url.QueryEscape(s)
	percent := strings.ReplaceAll(query, "+", "%20")
	component := strings.NewReplacer("%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*").Replace(percent)
	var xmlText bytes.Buffer
	// A buffer never refuses a write.
	_ = xml.EscapeText(&xmlText, []byte(s))
	named := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
	return []string{
		jsonText, inJSON(s, true), inASCII(jsonText), strings.ReplaceAll(jsonText, "/", `\/`),
		xmlText.String(), named, strings.NewReplacer(`"`, "&quot;", "'", "&apos;").Replace(named),
		strings.NewReplacer(`"`, "&#34;", "'", "&#39;").Replace(named), strings.NewReplacer(`"`, "&quot;", "'", "&#39;").Replace(named),
		query, percent, component, url.PathEscape(s), lowerPercent(query), lowerPercent(percent), lowerPercent(component),
		inside(strconv.Quote(s)), inside(strconv.QuoteToASCII(s)),
		strings.ReplaceAll(s, "'", `'\''`), strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(s),
	}
}

func inJSON(s string, html bool) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(html)
	// A string can always be encoded.
	_ = enc.Encode(s)
	return inside(strings.TrimSuffix(b.String(), "\n"))
}

// inside is a quoted text without its quotes.
func inside(quoted string) string { return quoted[1 : len(quoted)-1] }

// inASCII escapes what is not ASCII, as many writers of JSON do.
func inASCII(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r < 0x80:
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// lowerPercent spells the digits of %3F as %3f.
func lowerPercent(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], bytes.ToLower(b[i+1:i+3]))
			i += 2
		}
	}
	return string(b)
}

// encoded are the forms that hide a text's characters.
func encoded(s string) []string {
	var out []string
	digits := hex.EncodeToString([]byte(s))
	for _, text := range []string{digits, strings.ToUpper(digits)} {
		if len(text) >= minEncoded {
			out = append(out, text)
		}
	}
	for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 {
			if text := middle(e, s, before); len(text) >= minEncoded {
				out = append(out, text)
			}
		}
	}
	return out
}

// middle is what base64 makes of s after so many other bytes, without the
// characters that depend on what stands before it and behind it.
func middle(e *base64.Encoding, s string, before int) string {
	text := e.EncodeToString(append(make([]byte, before), s...))
	from := (before*8 + 5) / 6
	to := (before + len(s)) * 8 / 6
	return text[min(from, to):to]
}
