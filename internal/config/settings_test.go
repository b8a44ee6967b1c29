package config

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/stages"
)

func TestSettingsShowEveryKeyWithItsOrigin(t *testing.T) {
	t.Parallel()
	c := load(t, "timeout: 90m\nexecutors:\n  mine: {command: [a, b], env: {K: \"${env:SECRET}\"}}\n")
	shown := map[string]string{}
	values := map[string]any{}
	for _, s := range c.Settings() {
		shown[s.Key], values[s.Key] = s.Origin.String(), s.Value
	}
	for _, path := range paths() {
		require.Contains(t, shown, path)
	}
	require.Equal(t, "1h30m", values["timeout"])
	require.Equal(t, "pipeline.yaml:1:10", shown["timeout"])
	require.Equal(t, "64MiB", values["limits.output"])
	require.Equal(t, "default", shown["limits.output"])
	require.Equal(t, []string{"a", "b"}, values["executors.mine.command"])
	require.Equal(t, map[string]string{"K": "${env:SECRET}"}, values["executors.mine.env"], "a secret was looked up")
	require.Equal(t, "default", shown["executors.script.script"])
	require.NotContains(t, shown, "executors.mine.model")
}

func TestSettingsAreInTheSameOrderEachTime(t *testing.T) {
	t.Parallel()
	c := load(t, "executors: {b: {checks: true}, a: {checks: true}}\n")
	for range 20 {
		require.Equal(t, c.Settings(), c.Settings())
	}
}

func TestReferencesAreReplacedWhenTheExecutorIsUsed(t *testing.T) {
	t.Parallel()
	e := Executor{Env: map[string]string{"B": "x ${env:ONE}-${env:TWO}", "A": "plain $HOME ${OTHER}"}}
	lookup := func(name string) (string, bool) {
		switch name {
		case "ONE":
			return "${env:TWO}", true
		case "TWO":
			return "2", true
		}
		return "", false
	}
	environ, secrets, err := e.Environ(lookup)
	require.NoError(t, err)
	require.Equal(t, []string{"A=plain $HOME ${OTHER}", "B=x ${env:TWO}-2"}, environ, "a value was read as a reference")
	require.Equal(t, []stages.Secret{{Name: "ONE", Value: "${env:TWO}"}, {Name: "TWO", Value: "2"}}, secrets)
}

func TestAReferenceToAVariableThatIsNotSetIsAnError(t *testing.T) {
	t.Parallel()
	e := Executor{Env: map[string]string{"KEY": "${env:MISSING}"}}
	_, _, err := e.Environ(func(string) (string, bool) { return "", false })
	require.ErrorContains(t, err, "env KEY: MISSING is not set in the environment; export MISSING")
}

func TestVariableNames(t *testing.T) {
	t.Parallel()
	require.Equal(t, "PIPELINE_CFG_LIMITS_TASK_FILE", Variable("limits.task_file"))
	seen := map[string]string{}
	for _, path := range paths() {
		name := Variable(path)
		require.Empty(t, seen[name], "two keys share %s", name)
		require.Equal(t, strings.ToUpper(name), name)
		seen[name] = path
	}
}
