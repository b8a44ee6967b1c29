package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
)

// value is what a source says for a key: a node of a file, or the text of a
// flag or of a variable.
type value struct {
	node ast.Node // nil for a text
	text string
	at   Origin
}

// wrong is a Problem at the value's place.
func (v value) wrong(format string, a ...any) error {
	return &Problem{At: v.at, Message: fmt.Errorf(format, a...).Error()}
}

// scalar is the text of a plain value, without regard to its YAML type.
func (v value) scalar() (string, error) {
	switch n := v.node.(type) {
	case nil:
		return v.text, v.checkText(v.text)
	case *ast.StringNode:
		return n.Value, v.checkText(n.Value)
	case *ast.LiteralNode:
		return n.Value.Value, v.checkText(n.Value.Value)
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, nil
	}
	return "", v.wrong("is %s; write a single value", describe(v.node))
}

func (v value) checkText(s string) error {
	if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
		return v.wrong("holds bytes that are no text")
	}
	return nil
}

func (v value) str() (string, error) {
	switch v.node.(type) {
	case nil, *ast.StringNode, *ast.LiteralNode:
		return v.scalar()
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		s := v.node.GetToken().Value
		return "", v.wrong("%s is %s where a text was expected; write %q", s, describe(v.node), s)
	}
	return "", v.wrong("is %s; write a text", describe(v.node))
}

func (v value) integer() (int64, error) {
	switch n := v.node.(type) {
	case nil:
		if i, err := strconv.ParseInt(v.text, 10, 64); err == nil {
			return i, nil
		}
		return 0, v.wrong("%q is not a whole number", clip(v.text))
	case *ast.IntegerNode:
		switch i := n.Value.(type) {
		case int64:
			return i, nil
		case uint64:
			if i <= math.MaxInt64 {
				return int64(i), nil
			}
		}
		return 0, v.wrong("%s is too large", clip(n.Token.Value))
	}
	return 0, v.wrong("is %s; write a whole number", describe(v.node))
}

func (v value) float() (float64, error) {
	switch n := v.node.(type) {
	case nil:
		if f, err := strconv.ParseFloat(v.text, 64); err == nil {
			return f, nil
		}
		return 0, v.wrong("%q is not a number", clip(v.text))
	case *ast.FloatNode:
		return n.Value, nil
	case *ast.IntegerNode:
		i, err := v.integer()
		return float64(i), err
	}
	return 0, v.wrong("is %s; write a number", describe(v.node))
}

func (v value) boolean() (bool, error) {
	switch n := v.node.(type) {
	case nil:
		switch v.text {
		case "true":
			return true, nil
		case "false":
			return false, nil
		}
		return false, v.wrong("%q is neither true nor false", clip(v.text))
	case *ast.BoolNode:
		return n.Value, nil
	}
	return false, v.wrong("is %s; write true or false", describe(v.node))
}

// strings is a list. A text that does not look like one is a list of one.
func (v value) strings() ([]string, error) {
	if v.node == nil {
		if !strings.HasPrefix(strings.TrimSpace(v.text), "[") {
			return []string{v.text}, v.checkText(v.text)
		}
		node, err := parse([]byte(v.text), v.at)
		if err != nil {
			return nil, err
		}
		v.node = node
	}
	seq, ok := v.node.(*ast.SequenceNode)
	if !ok {
		return nil, v.wrong("is %s; write a list, such as [\"one\", \"two\"]", describe(v.node))
	}
	all := make([]string, 0, len(seq.Values))
	for _, n := range seq.Values {
		item := value{node: n, at: v.at.moved(n)}
		s, err := item.str()
		if err == nil && s == "" {
			err = item.wrong("is empty")
		}
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// items are the entries of a list.
func (v value) items() ([]value, error) {
	if v.node == nil {
		node, err := parse([]byte(v.text), v.at)
		if err != nil {
			return nil, err
		}
		v.node = node
	}
	seq, ok := v.node.(*ast.SequenceNode)
	if !ok {
		return nil, v.wrong("is %s; write a list", describe(v.node))
	}
	all := make([]value, len(seq.Values))
	for i, n := range seq.Values {
		all[i] = value{node: n, at: v.at.moved(n)}
	}
	return all, nil
}

// pairs are the entries of a mapping, in the order of the file.
func (v value) pairs() ([]pair, error) {
	if v.node == nil {
		node, err := parse([]byte(v.text), v.at)
		if err != nil {
			return nil, err
		}
		v.node = node
	}
	var entries []*ast.MappingValueNode
	switch n := v.node.(type) {
	case *ast.MappingNode:
		entries = n.Values
	case *ast.MappingValueNode:
		entries = []*ast.MappingValueNode{n}
	default:
		return nil, v.wrong("is %s; write keys and values below it", describe(v.node))
	}
	all := make([]pair, 0, len(entries))
	for _, e := range entries {
		at := v.at.moved(e.Key)
		name, ok := e.Key.(*ast.StringNode)
		if !ok {
			return nil, &Problem{At: at, Message: fmt.Sprintf("key %q is not a plain text", clip(e.Key.GetToken().Value))}
		}
		all = append(all, pair{name: name.Value, at: at, value: value{node: e.Value, at: v.at.moved(e.Value)}})
	}
	return all, nil
}

type pair struct {
	name  string
	at    Origin // of the name
	value value
}

func describe(n ast.Node) string {
	switch n.(type) {
	case *ast.NullNode:
		return "empty"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.BoolNode:
		return "true or false"
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "a number"
	case *ast.StringNode, *ast.LiteralNode:
		return "a text"
	case *ast.AnchorNode, *ast.AliasNode, *ast.MergeKeyNode, *ast.TagNode:
		return "an anchor, alias or tag, which are not read"
	}
	return "something else"
}
