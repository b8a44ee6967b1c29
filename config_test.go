package pipeline_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/schemas"
)

var configPage = filepath.Join("docs", "config.md")

const notYet = "*Not in this version.* "

// property is what docs/config.md needs of a JSON Schema.
type property struct {
	Ref         string              `json:"$ref"`
	Description string              `json:"description"`
	Default     any                 `json:"default"`
	Properties  map[string]property `json:"properties"`
	Defs        map[string]property `json:"$defs"`
}

func TestTheConfigPageHasEveryKeyWithItsDefault(t *testing.T) {
	t.Parallel()
	root := configSchema(t)
	delete(root.Properties, "executors")
	keys := map[string]property{}
	flatten(keys, "", root.Properties)
	requireTable(t, tableRows(sectionOf(t, configPage, "Keys"))[1:], keys, "")
	requireTable(t, tableRows(sectionOf(t, configPage, "Executors"))[1:], root.Defs["executor"].Properties, "executors.*.")
}

// requireTable compares rows of key, default and meaning with a schema, and
// the mark of what is refused with the code.
func requireTable(t *testing.T, rows [][]string, keys map[string]property, prefix string) {
	refused := refusedKeys(t)
	told := map[string]bool{}
	for _, row := range rows {
		key := code(row[0])
		p, is := keys[key]
		require.True(t, is, "the schema has no key %q", key)
		require.Equal(t, shownDefault(p.Default), row[1], key)
		require.Contains(t, row[2], p.Description, key)
		require.Equal(t, refused[prefix+key], strings.HasPrefix(row[2], notYet), "%s is marked as not in this version", key)
		told[key] = true
	}
	for key := range keys {
		require.True(t, told[key], "the page has no row for %q", key)
	}
}

func configSchema(t *testing.T) property {
	text, err := schemas.Get("pipeline")
	require.NoError(t, err)
	var root property
	require.NoError(t, json.Unmarshal(text, &root))
	return root
}

func flatten(into map[string]property, prefix string, properties map[string]property) {
	for name, p := range properties {
		if p.Properties != nil {
			flatten(into, prefix+name+".", p.Properties)
			continue
		}
		into[prefix+name] = p
	}
}

// shownDefault is a default as the page writes it.
func shownDefault(v any) string {
	switch v := v.(type) {
	case nil:
		return "–"
	case string:
		if v == "" {
			v = `""`
		}
		return "`" + v + "`"
	case float64:
		return "`" + strconv.FormatFloat(v, 'f', -1, 64) + "`"
	}
	return fmt.Sprintf("`%v`", v)
}

// refusedKeys are the keys that this version refuses, as the code lists them.
func refusedKeys(t *testing.T) map[string]bool {
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("internal", "config", "unsupported.go"), nil, 0)
	require.NoError(t, err)
	keys := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if pair, ok := n.(*ast.KeyValueExpr); ok {
			if literal, ok := pair.Key.(*ast.BasicLit); ok {
				key, err := strconv.Unquote(literal.Value)
				require.NoError(t, err)
				keys[key] = true
			}
		}
		return true
	})
	return keys
}
