package config

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

const (
	maxFile  = 1 << 20 // bytes of a pipeline.yaml
	maxDepth = 32      // of nested lists and mappings; what is read needs four
)

// parse reads the one YAML document of b; nil if it says nothing.
func parse(b []byte, at Origin) (ast.Node, error) {
	wrong := func(format string, a ...any) error {
		return &Problem{At: at, Message: fmt.Sprintf(format, a...)}
	}
	if len(b) > maxFile {
		return nil, wrong("is %d bytes long, at most %d are read", len(b), maxFile)
	}
	b = bytes.TrimPrefix(b, []byte("\uFEFF"))
	b = bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))
	if line := tooDeep(b); line > 0 {
		at.Line = line
		return nil, &Problem{At: at, Message: fmt.Sprintf("nested more than %d deep", maxDepth)}
	}
	file, err := parser.ParseBytes(b, 0)
	if bad := yaml.Error(nil); errors.As(err, &bad) {
		if t := bad.GetToken(); t != nil && t.Position != nil && at.Kind == FromFile {
			at.Line, at.Col = t.Position.Line, t.Position.Column
		}
		return nil, &Problem{At: at, Message: "not YAML: " + bad.GetMessage()}
	}
	if err != nil {
		return nil, wrong("not YAML: %v", err)
	}
	var body ast.Node
	for _, doc := range file.Docs {
		switch doc.Body.(type) {
		case nil, *ast.CommentGroupNode, *ast.DirectiveNode:
			continue
		}
		if body != nil {
			return nil, (value{node: doc.Body, at: at.moved(doc.Body)}).wrong("a second document begins here; keep one")
		}
		body = doc.Body
	}
	return body, nil
}

// tooDeep is the first line on which so many brackets, dashes or indented
// levels are open that a recursive parser should not see it; 0 if there is none.
func tooDeep(b []byte) int {
	brackets := 0
	for i, line := range bytes.Split(b, []byte("\n")) {
		brackets += bytes.Count(line, []byte("[")) + bytes.Count(line, []byte("{"))
		indent := len(line) - len(bytes.TrimLeft(line, " \t"))
		if brackets > maxDepth || indent > 8*maxDepth || strings.Count(string(line), "- ") > maxDepth || bytes.Count(line, []byte("? ")) > maxDepth {
			return i + 1
		}
		brackets = max(0, brackets-bytes.Count(line, []byte("]"))-bytes.Count(line, []byte("}")))
	}
	return 0
}
