package config

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/schemas"
)

// example is the one of the specification; agents are not built yet, so it is
// valid and not loadable.
const example = `version: 1
tasks: tasks
jobs: 4
attempts: 3
isolation: worktree          # worktree | none
branch: ""                   # target branch, default the checked-out one
timeout: 30m                 # per stage
idle_timeout: 10m            # no output for so long
undeclared: include          # include | fail
workspace:
  prepare: ["npm ci"]        # run once in each new workspace
  link: [node_modules, .env] # ignored paths shared into it
window: {full: 1, summary: 2}
stages: {builder: claude, verifier: checks, reverifier: checks}
executors:
  claude: {agent: claude, model: sonnet, reply: xml, args: [], env: {}}
  mine:   {command: ["./build.sh"], env: {KEY: "${env:KEY}"}}
  script: {script: true}     # the TASK's ## Build fences
  checks: {checks: true}     # the TASK's ## Verify fences
`

func contract(t *testing.T) (*jsonschema.Schema, map[string]any) {
	t.Helper()
	b, err := schemas.Get("pipeline")
	require.NoError(t, err)
	raw, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("pipeline", raw))
	s, err := c.Compile("pipeline")
	require.NoError(t, err)
	return s, raw.(map[string]any)
}

// leaves are the keys of a schema with their own schemas, by dotted path.
func leaves(prefix string, at map[string]any, into map[string]map[string]any) {
	for name, sub := range at["properties"].(map[string]any) {
		key := sub.(map[string]any)
		if _, deeper := key["properties"]; deeper {
			leaves(prefix+name+".", key, into)
			continue
		}
		into[prefix+name] = key
	}
}

func asJSON(t *testing.T, v any) any {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	back, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	require.NoError(t, err)
	return back
}

func fromYAML(t *testing.T, text string) any {
	t.Helper()
	var v any
	require.NoError(t, yaml.Unmarshal([]byte(text), &v))
	return asJSON(t, v)
}

func TestTheSchemaHasEveryKeyWithItsDefault(t *testing.T) {
	t.Parallel()
	_, raw := contract(t)
	found := map[string]map[string]any{}
	leaves("", raw, found)
	require.Contains(t, found, "executors")
	delete(found, "executors")
	require.ElementsMatch(t, paths(), slices.Collect(maps.Keys(found)))
	c := Default(4)
	for _, k := range keys() {
		require.Equal(t, asJSON(t, found[k.path]["default"]), asJSON(t, k.show(&c)), k.path)
	}
	executor := raw["$defs"].(map[string]any)["executor"].(map[string]any)
	found = map[string]map[string]any{}
	leaves("", executor, found)
	require.ElementsMatch(t, executorPaths(), slices.Collect(maps.Keys(found)))
}

func TestTheDefaultsAreValid(t *testing.T) {
	t.Parallel()
	schema, raw := contract(t)
	c := load(t, "")
	tree := map[string]any{"executors": raw["properties"].(map[string]any)["executors"].(map[string]any)["default"]}
	for _, s := range c.Settings() {
		if strings.HasPrefix(s.Key, "executors.") {
			continue
		}
		at := tree
		names := strings.Split(s.Key, ".")
		for _, name := range names[:len(names)-1] {
			if at[name] == nil {
				at[name] = map[string]any{}
			}
			at = at[name].(map[string]any)
		}
		at[names[len(names)-1]] = s.Value
	}
	require.NoError(t, schema.Validate(asJSON(t, tree)))
}

func TestTheExampleIsValidAndIsLoaded(t *testing.T) {
	t.Parallel()
	schema, _ := contract(t)
	require.NoError(t, schema.Validate(fromYAML(t, example)))
	_, err := Load(project(t, example))
	require.NoError(t, err)
}

func TestSchemaAndReaderRefuseTheSame(t *testing.T) {
	t.Parallel()
	schema, _ := contract(t)
	for _, text := range []string{
		"jobs: 0", "jobs: two", "version: 2", "tasks: ''", "timeout: 30", "isolation: docker", "colour: red", "window: {full: 0}",
		"limits: {output: 1PB}", "limits: {output: 0}", "budget: {usd: -1}", "budget: {tokens: lots}", "workspace: {prepare: npm}",
		"workspace: {prepare: ['']}", "executors: {x: {}}", "executors: {x: {script: true, checks: true}}", "executors: {x: {script: false}}",
		"executors: {x: {command: []}}", "executors: {'a b': {script: true}}", "executors: {x: {command: [a], env: {A-B: c}}}",
		"quality: [make, test]", "quality: [{name: t}]", "quality: [{argv: [a]}]", "quality: [{name: t, argv: []}]", "quality: [{name: t, argv: [a], when: now}]",
		"quality: {name: t, argv: [a]}", "executors: {x: {agent: claude, reply: yaml}}", "executors: {x: {agent: claude, retries: 1000}}",
	} {
		require.Error(t, schema.Validate(fromYAML(t, text)), text)
		_, err := Load(project(t, text))
		require.Error(t, err, text)
	}
	for _, text := range []string{
		"{}", "jobs: 2", "timeout: 1h30m", "idle_timeout: 0s", "limits: {output: 65536}", "limits: {output: 64 KiB}", "window: {full: 2, summary: 2}",
		"executors: {x: {command: [a, b], args: [c], env: {A: b}, timeout: 1m}}", "landing_check: []", "reverify: always", "reverify: overlap", "reverify: never",
		"hooks: true", "workspace: {prepare: [npm ci], prepare_key: [package.json, a/b]}",
		"quality: [{name: tests, argv: [make, test], timeout: 5m}, {name: lint, argv: [lint]}]", "budget: {usd: 2.5, tokens: 2M}",
		"executors: {x: {agent: claude, model: m, reply: json, args: [a], retries: 2, gates: [-tests_pass], fresh: true, sandbox: s, prompts: p, fallback: [checks]}}",
		"executors: {x: {command: [a], reply: json, gates: [artifacts_exist], retries: 0}}",
	} {
		require.NoError(t, schema.Validate(fromYAML(t, text)), text)
		_, err := Load(project(t, text))
		require.NoError(t, err, text)
	}
}

func TestAKeyWhoseFeatureIsNotBuiltIsRefusedNotIgnored(t *testing.T) {
	t.Parallel()
	for text, key := range map[string]string{
		"limits: {task_file: 2MiB}": "limits.task_file",
		"limits: {xml_depth: 65}":   "limits.xml_depth",
	} {
		_, err := Load(project(t, text))
		require.ErrorContains(t, err, key+": not supported by this version", text)
	}
	for _, text := range []string{"budget: {usd: 0, tokens: 0}", "limits: {task_file: 1MiB, tasks: 100000}", "executors: {x: {command: [a], reply: xml, fallback: []}}"} {
		_, err := Load(project(t, text))
		require.NoError(t, err, text)
	}
}

func TestEveryPendingKeyIsAKey(t *testing.T) {
	t.Parallel()
	known := paths()
	for _, p := range executorPaths() {
		known = append(known, "executors.*."+p)
	}
	for path := range pending() {
		require.Contains(t, known, path)
	}
}
