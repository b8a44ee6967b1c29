package config

import (
	"maps"
	"slices"
	"strings"
)

// VariablePrefix begins the name of a variable that sets a key: the rest is the
// key in capitals with _ for a dot, as in PIPELINE_CFG_WINDOW_FULL.
const VariablePrefix = "PIPELINE_CFG_"

// Variable is the name of the variable that sets a key.
func Variable(key string) string {
	return VariablePrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// variables applies those of an environment, in the order of their names.
func (l *loader) variables(environ []string, base string) {
	said := map[string]string{}
	for _, entry := range environ {
		if name, text, ok := strings.Cut(entry, "="); ok && strings.HasPrefix(name, VariablePrefix) {
			said[name] = text
		}
	}
	known := map[string]string{Variable("executors"): "executors"}
	for _, path := range paths() {
		known[Variable(path)] = path
	}
	for _, name := range slices.Sorted(maps.Keys(said)) {
		at := Origin{Kind: FromVariable, Name: name}
		path, ok := known[name]
		if !ok {
			l.add(&Problem{At: at, Message: unknown(name, slices.Sorted(maps.Keys(known)))})
			continue
		}
		l.set(path, value{text: said[name], at: at}, base)
	}
}
