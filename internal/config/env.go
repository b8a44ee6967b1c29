package config

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/taskpipeline/pipeline/stages"
)

var (
	envName   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	reference = regexp.MustCompile(`\$\{env:([^}]*)\}`)
)

// environment is a mapping of variables to texts; `${env:NAME}` in a text
// stands for a variable of our own environment.
func environment[T any](path string, at func(*T) *map[string]string) key[T] {
	return key[T]{path, func(t *T, v value) error {
		pairs, err := v.pairs()
		if err != nil {
			return err
		}
		env := make(map[string]string, len(pairs))
		for _, p := range pairs {
			if !envName.MatchString(p.name) {
				return &Problem{At: p.at, Message: fmt.Sprintf("%q cannot be the name of a variable", clip(p.name))}
			}
			s, err := p.value.str()
			if err != nil {
				return err
			}
			for _, ref := range reference.FindAllStringSubmatch(s, -1) {
				if !envName.MatchString(ref[1]) {
					return p.value.wrong("%q names no variable; write ${env:NAME}", clip(ref[0]))
				}
			}
			if strings.Contains(reference.ReplaceAllString(s, ""), "${env:") {
				return p.value.wrong("${env: is never closed; write ${env:NAME}")
			}
			env[p.name] = s
		}
		*at(t) = env
		return nil
	}, func(t *T) any { return *at(t) }}
}

// Environ is the executor's env as KEY=value, sorted, with every ${env:NAME}
// replaced by what lookup (os.LookupEnv) says, and those values apart: they are
// secrets, to be masked in whatever is written. A variable that is not set is
// an error.
func (e Executor) Environ(lookup func(string) (string, bool)) (environ []string, secrets []stages.Secret, err error) {
	for _, name := range slices.Sorted(maps.Keys(e.Env)) {
		var missing string
		text := reference.ReplaceAllStringFunc(e.Env[name], func(ref string) string {
			from := reference.FindStringSubmatch(ref)[1]
			secret, ok := lookup(from)
			if !ok {
				missing = from
			}
			if secret != "" {
				secrets = append(secrets, stages.Secret{Name: from, Value: secret})
			}
			return secret
		})
		if missing != "" {
			return nil, nil, fmt.Errorf("env %s: %s is not set in the environment; export %s, or take it out of pipeline.yaml", name, missing, missing)
		}
		environ = append(environ, name+"="+text)
	}
	return environ, secrets, nil
}
