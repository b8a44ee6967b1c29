package tasks

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// maxFrontMatter bounds the bytes given to the YAML parser.
const maxFrontMatter = 64 << 10

// frontMatter is what stands between the two lines of dashes at the start.
type frontMatter struct {
	options  Options
	claim    *claim // of its dependencies key, nil without one
	problems []Problem
}

// splitFrontMatter cuts a file's text into its YAML and its Markdown. body is the
// number of the Markdown's first line, and closed is false when there is front
// matter without an end; all is YAML then.
func splitFrontMatter(text string) (yaml, markdown string, body int, closed bool) {
	if first, _, _ := strings.Cut(text, "\n"); strings.TrimRight(first, " \t") != "---" {
		return "", text, 1, true
	}
	at, number := 0, 0
	for l := range strings.Lines(text) {
		at, number = at+len(l), number+1
		if number > 1 && strings.TrimRight(l, " \t\n") == "---" {
			start := strings.IndexByte(text, '\n') + 1
			return text[start : at-len(l)], text[at:], number + 1, true
		}
	}
	return text, "", number + 1, false
}

// readFrontMatter reads the YAML of a file; its first line is line 2.
func readFrontMatter(file, source string) frontMatter {
	r := yamlReader{file: file}
	if len(source) > maxFrontMatter {
		r.fail(nil, "the front matter is over 64 KiB: move text below its closing ---")
		return r.fm
	}
	if tooBracketed(source) || tooNested([]byte(source)) >= 0 {
		r.fail(nil, "the front matter opens over %d lists inside each other: no key takes that", maxNesting)
		return r.fm
	}
	tree, err := parser.ParseBytes([]byte(source), 0)
	if err != nil {
		r.syntax(err)
		return r.fm
	}
	for i, doc := range tree.Docs {
		switch body := doc.Body.(type) {
		case nil, *ast.CommentGroupNode:
		case *ast.MappingNode:
			if i > 0 {
				r.fail(body.GetToken(), "the front matter is one list of keys, not several documents")
				continue
			}
			for _, v := range body.Values {
				r.entry(v)
			}
		default:
			r.fail(body.GetToken(), "the front matter must be lines of key: value")
		}
	}
	return r.fm
}

// yamlReader collects the front matter of one file.
type yamlReader struct {
	file  string
	fm    frontMatter
	depOf string // the dependencies key read so far
}

// at returns the place of a token in the file.
func (r *yamlReader) at(t *token.Token) place {
	if t == nil || t.Position == nil {
		return place{r.file, 1, 0}
	}
	return place{r.file, t.Position.Line + 1, t.Position.Column}
}

func (r *yamlReader) fail(t *token.Token, format string, args ...any) {
	r.fm.problems = append(r.fm.problems, r.at(t).problem(Error, format, args...))
}

// syntax reports what the YAML parser refused.
func (r *yamlReader) syntax(err error) {
	var y yaml.Error
	if !errors.As(err, &y) {
		r.fail(nil, "the front matter is not YAML: %s", brief(err.Error()))
		return
	}
	r.fail(y.GetToken(), "the front matter is not YAML: %s", strings.ReplaceAll(y.GetMessage(), "\t", "tab"))
}

func (r *yamlReader) entry(v *ast.MappingValueNode) {
	name, ok := v.Key.(*ast.StringNode)
	if !ok {
		r.fail(v.Key.GetToken(), "unknown key %s in the front matter: take it out", brief(v.Key.GetToken().Value))
		return
	}
	key := name.Value
	keyToken := name.GetToken()
	switch key {
	case "builder":
		r.fm.options.Builder = r.word(key, keyToken, v.Value)
	case "verifier":
		r.fm.options.Verifier = r.word(key, keyToken, v.Value)
	case "commit_type":
		r.fm.options.CommitType = r.commitType(key, keyToken, v.Value)
	case "timeout":
		r.fm.options.Timeout = r.duration(key, keyToken, v.Value)
	case "approve":
		r.fm.options.Approve = r.boolean(key, keyToken, v.Value)
	case "locks":
		for _, item := range r.list(key, keyToken, v.Value) {
			if lock := r.word(key, keyToken, item); lock != "" && !slices.Contains(r.fm.options.Locks, lock) {
				r.fm.options.Locks = append(r.fm.options.Locks, lock)
			}
		}
	default:
		if !dependencyKey(normalKey(key)) {
			r.fail(keyToken, "unknown key %s in the front matter: it knows depends, builder, verifier, timeout, locks, approve, commit_type", brief(key))
			return
		}
		r.dependencies(key, keyToken, v.Value)
	}
}

func (r *yamlReader) dependencies(key string, keyToken *token.Token, value ast.Node) {
	if r.depOf != "" {
		r.fail(keyToken, "%s and %s say the same thing: keep one of them", r.depOf, key)
		return
	}
	r.depOf = key
	items := r.list(key, keyToken, value)
	c := claim{place: r.at(keyToken), says: true}
	for _, item := range items {
		s, ok := stringOf(item)
		if !ok {
			r.fail(tokenOf(item, keyToken), "an item of %s must be the id of a TASK, such as TASK-01, not %s", key, kind(item))
			continue
		}
		m, end := itemAt(s, 0)
		if _, whole := ParseID(s); end != len(s) || !whole {
			r.fail(tokenOf(item, keyToken), "%s in %s is not the id of a TASK: write each id out, as in [TASK-01, TASK-02]", brief(s), key)
			continue
		}
		c.deps = append(c.deps, dep{m.id, m.prefix, r.at(tokenOf(item, keyToken))})
	}
	r.fm.claim = &c
}

// list returns the items of a sequence.
func (r *yamlReader) list(key string, keyToken *token.Token, value ast.Node) []ast.Node {
	s, ok := value.(*ast.SequenceNode)
	if !ok {
		r.fail(tokenOf(value, keyToken), "%s must be a list, such as [%s], not %s", key, exampleOf(key), kind(value))
		return nil
	}
	return s.Values
}

func exampleOf(key string) string {
	if key == "locks" {
		return "database"
	}
	return "TASK-01, TASK-02"
}

// word returns a string on one line, "" after reporting anything else.
func (r *yamlReader) word(key string, keyToken *token.Token, value ast.Node) string {
	s, ok := stringOf(value)
	if !ok {
		r.fail(tokenOf(value, keyToken), "%s must be a name, not %s; put it in quotes if it is one", key, kind(value))
		return ""
	}
	if s = strings.TrimSpace(s); s == "" || strings.ContainsAny(s, "\n\r") {
		r.fail(tokenOf(value, keyToken), "%s must be a name on one line", key)
		return ""
	}
	return s
}

func (r *yamlReader) commitType(key string, keyToken *token.Token, value ast.Node) string {
	s, ok := stringOf(value)
	switch s {
	case "feat", "fix", "chore", "docs", "test", "refactor":
		return s
	}
	if !ok {
		s = kind(value)
	} else {
		s = brief(s)
	}
	r.fail(tokenOf(value, keyToken), "%s must be feat, fix, chore, docs, test or refactor, not %s", key, s)
	return ""
}

func (r *yamlReader) duration(key string, keyToken *token.Token, value ast.Node) time.Duration {
	s, ok := stringOf(value)
	d, err := time.ParseDuration(s)
	if !ok || err != nil || d <= 0 {
		r.fail(tokenOf(value, keyToken), "%s must be a time above zero with its unit, such as 20m or 1h30m", key)
		return 0
	}
	return d
}

func (r *yamlReader) boolean(key string, keyToken *token.Token, value ast.Node) bool {
	b, ok := value.(*ast.BoolNode)
	if !ok {
		r.fail(tokenOf(value, keyToken), "%s must be true or false, not %s", key, kind(value))
		return false
	}
	return b.Value
}

// stringOf returns the value of a plain or quoted string.
func stringOf(n ast.Node) (string, bool) {
	s, ok := n.(*ast.StringNode)
	if !ok {
		return "", false
	}
	return s.Value, true
}

// tokenOf returns where a value stands: at its key when it is left out, for which
// the parser makes up a place.
func tokenOf(n ast.Node, key *token.Token) *token.Token {
	if n == nil || n.GetToken() == nil || n.GetToken().Type == token.ImplicitNullType {
		return key
	}
	return n.GetToken()
}

// kind names a YAML value for a message.
func kind(n ast.Node) string {
	if n == nil {
		return "null"
	}
	switch n.Type() {
	case ast.NullType:
		return "null"
	case ast.BoolType:
		return "a boolean"
	case ast.IntegerType, ast.FloatType, ast.InfinityType, ast.NanType:
		return "a number"
	case ast.StringType, ast.LiteralType:
		return "a string"
	case ast.SequenceType:
		return "a list"
	case ast.MappingType, ast.MappingValueType:
		return "a mapping"
	case ast.AnchorType, ast.AliasType, ast.MergeKeyType:
		return "an anchor or alias"
	}
	return "something else"
}
