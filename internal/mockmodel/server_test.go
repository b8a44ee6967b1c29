package mockmodel_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/internal/mockmodel"
)

// requests are one conversation of two turns in each protocol: the tools that
// are offered can write files and run shell lines.
var requests = map[string]string{
	"/v1/chat/completions":             `{"model":"m","messages":[{"role":"system","content":"Working directory: /repo"},{"role":"user","content":"one"},{"role":"assistant","content":"x"},{"role":"user","content":[{"type":"text","text":"two"}]}],"tools":[{"function":{"name":"write"}},{"function":{"name":"bash"}}]}`,
	"/v1/messages":                     `{"model":"m","system":"working directory: /repo","messages":[{"role":"user","content":"one"},{"role":"assistant","content":[]},{"role":"user","content":[{"type":"text","text":"two"}]}],"tools":[{"name":"Write"},{"name":"Bash"}]}`,
	"/v1/responses":                    `{"model":"m","input":[{"role":"user","content":[{"type":"input_text","text":"one <cwd>/repo</cwd>"}]},{"role":"user","content":"two"}],"tools":[{"name":"shell","type":"function"}]}`,
	"/v1beta/models/m:generateContent": `{"contents":[{"role":"user","parts":[{"text":"one in the directory: /repo"}]},{"role":"user","parts":[{"text":"two"}]}],"tools":[{"functionDeclarations":[{"name":"write_file"}]}]}`,
}

func post(t *testing.T, url, body string) (int, string) {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	require.NoError(t, err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(b)
}

func TestEachProtocolIsUnderstoodAndAnswered(t *testing.T) {
	t.Parallel()
	for path, body := range requests {
		var next mockmodel.Reply
		var asked mockmodel.Asked
		s := mockmodel.New(t, func(a mockmodel.Asked) mockmodel.Reply {
			asked = a
			return next
		})
		next = mockmodel.Reply{Text: "the last word"}
		code, plain := post(t, s.URL+path, body)
		require.Equal(t, http.StatusOK, code)
		require.Contains(t, plain, "the last word", path)
		require.Equal(t, "two", asked.Prompt(), path)
		require.Equal(t, 1, asked.Turns("one"), path)
		require.Equal(t, "/repo", asked.Dir, path)
		require.NotEmpty(t, asked.Tools, path)

		next = mockmodel.Reply{Write: "a.txt", Content: "hello"}
		_, call := post(t, s.URL+path, body)
		require.Contains(t, call, "a.txt", path)
		require.Contains(t, call, "hello", path)
		next = mockmodel.Reply{Run: "make it"}
		_, call = post(t, s.URL+path, body)
		require.Contains(t, call, "make it", path)

		next = mockmodel.Reply{Text: "the last word"}
		stream := strings.Replace(body, `{`, `{"stream":true,`, 1)
		_, events := post(t, s.URL+strings.Replace(path, ":generate", ":streamGenerate", 1), stream)
		require.Contains(t, events, "data: ", path)
		require.Contains(t, events, "the last word", path)

		next = mockmodel.Reply{Status: 429, Message: "later", Header: map[string]string{"Retry-After": "3"}}
		code, refused := post(t, s.URL+path, body)
		require.Equal(t, 429, code)
		require.Contains(t, refused, "later")
		require.Len(t, s.Asked(), 5)
	}
}
