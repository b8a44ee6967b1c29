// Package schemas holds the JSON Schemas of the files that pipeline reads and
// writes, so that other programs can check theirs.
//
//	pipeline    pipeline.yaml, with every key and its default
//	event       one line of a session's events.jsonl
//	agent_map   a session's agent_map.json
package schemas

import (
	"embed"
	"fmt"
	"strings"
)

const suffix = ".schema.json"

//go:embed *.schema.json
var files embed.FS

// Get is the text of a schema, a JSON Schema of draft 2020-12; the error for an
// unknown name lists the known ones.
func Get(name string) ([]byte, error) {
	b, err := files.ReadFile(name + suffix)
	if err != nil {
		return nil, fmt.Errorf("there is no schema %q; there are %s", name, strings.Join(Names(), ", "))
	}
	return b, nil
}

// Names are the schemas that there are, sorted.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), suffix))
	}
	return names
}
