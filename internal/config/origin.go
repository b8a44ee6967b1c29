package config

import (
	"fmt"

	"github.com/goccy/go-yaml/ast"
)

// Kind is the kind of source that a value comes from.
type Kind int

// The kinds, from the weakest to the strongest.
const (
	FromDefault Kind = iota
	FromFile
	FromVariable
	FromFlag
)

// Origin is the place that a value comes from.
type Origin struct {
	Kind Kind
	Name string // the file as people would type it, the variable, the flag
	Line int    // FromFile, from 1; 0 for the whole file
	Col  int    // FromFile, from 1; 0 for the whole line
}

// String is "default", "pipeline.yaml:3:7", "PIPELINE_CFG_JOBS" or "--jobs".
func (o Origin) String() string {
	switch {
	case o.Kind == FromDefault && o.Name == "":
		return "default"
	case o.Line == 0:
		return o.Name
	case o.Col == 0:
		return fmt.Sprintf("%s:%d", o.Name, o.Line)
	}
	return fmt.Sprintf("%s:%d:%d", o.Name, o.Line, o.Col)
}

// moved is the same source at a node's place.
func (o Origin) moved(n ast.Node) Origin {
	if o.Kind != FromFile || n == nil {
		return o
	}
	if t := n.GetToken(); t != nil && t.Position != nil {
		o.Line, o.Col = t.Position.Line, t.Position.Column
	}
	return o
}

// Origin is where a key's value comes from. Keys are written with dots, such as
// "window.full" or "executors.claude.model".
func (c Config) Origin(key string) Origin { return c.origins[key] }

// Setting is one key with its value and where it comes from.
type Setting struct {
	Key    string
	Value  any // string, int, int64, float64, bool, []string or map[string]string
	Origin Origin
}

// Settings are all keys, in the order of the schema, executors last by name.
// References to variables in an executor's env are shown as they are written.
func (c Config) Settings() []Setting {
	var all []Setting
	for _, k := range keys() {
		all = append(all, Setting{k.path, k.show(&c), c.origins[k.path]})
	}
	for _, name := range c.names() {
		e := c.Executors[name]
		for _, k := range executorKeys() {
			path := "executors." + name + "." + k.path
			origin, said := c.origins[path]
			if said || k.path == e.Kind() {
				all = append(all, Setting{path, k.show(&e), origin})
			}
		}
	}
	return all
}
