package config

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/window"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// project is a repository with the given pipeline.yaml; "" for none.
func project(t testing.TB, yaml string) Sources {
	t.Helper()
	root := t.TempDir()
	if yaml != "" {
		write(t, filepath.Join(root, FileName), yaml)
	}
	return Sources{Dir: root, Root: root, CPUs: 8}
}

func write(t testing.TB, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

func load(t *testing.T, yaml string) Config {
	t.Helper()
	c, err := Load(project(t, yaml))
	require.NoError(t, err)
	return c
}

func TestWithoutAnySourceTheDefaultsHold(t *testing.T) {
	t.Parallel()
	s := project(t, "")
	c, err := Load(s)
	require.NoError(t, err)
	require.Equal(t, 4, c.Jobs)
	require.Equal(t, 3, c.Attempts)
	require.Equal(t, Worktree, c.Isolation)
	require.Equal(t, 30*time.Minute, c.Timeout)
	require.Equal(t, 6*time.Hour, c.MaxWait)
	require.Equal(t, stages.Include, c.Undeclared)
	require.Equal(t, window.Borders{Full: 1, Summary: 2}, c.Window)
	require.Equal(t, Stages{Builder: "script", Verifier: "checks"}, c.Stages)
	require.True(t, c.Executors["script"].Script)
	require.True(t, c.Executors["checks"].Checks)
	require.Equal(t, filepath.Join(s.Root, "tasks"), c.TasksDir)
	require.Empty(t, c.File)
}

func TestJobsDefaultToTheCPUsButAtMostFour(t *testing.T) {
	t.Parallel()
	for cpus, want := range map[int]int{0: 1, 1: 1, 2: 2, 4: 4, 64: 4, runtime.NumCPU(): min(4, runtime.NumCPU())} {
		require.Equal(t, want, Default(cpus).Jobs, cpus)
	}
}

func TestAFlagBeatsAVariableBeatsTheProjectBeatsTheUser(t *testing.T) {
	t.Parallel()
	s := project(t, "attempts: 12\njobs: 12\ntimeout: 12m\n")
	s.UserDir = t.TempDir()
	write(t, filepath.Join(s.UserDir, "pipeline", FileName), "attempts: 11\njobs: 11\ntimeout: 11m\nmax_wait: 11h\n")
	s.Environ = []string{"PIPELINE_CFG_ATTEMPTS=13", "PIPELINE_CFG_JOBS=13", "HOME=/x"}
	s.Flags = []Flag{{Key: "attempts", Name: "--attempts", Value: "14"}}
	c, err := Load(s)
	require.NoError(t, err)
	require.Equal(t, 14, c.Attempts)
	require.Equal(t, 13, c.Jobs)
	require.Equal(t, 12*time.Minute, c.Timeout)
	require.Equal(t, 11*time.Hour, c.MaxWait)
	require.Equal(t, "--attempts", c.Origin("attempts").String())
	require.Equal(t, "PIPELINE_CFG_JOBS", c.Origin("jobs").String())
	require.Equal(t, "pipeline.yaml:3:10", c.Origin("timeout").String())
	require.Equal(t, filepath.Join(s.UserDir, "pipeline", FileName)+":4:11", c.Origin("max_wait").String())
	require.Equal(t, "default", c.Origin("branch").String())
}

func TestTheNearestFileUpToTheRootIsRead(t *testing.T) {
	t.Parallel()
	s := project(t, "jobs: 2\n")
	s.Dir = filepath.Join(s.Root, "a", "b")
	require.NoError(t, os.MkdirAll(s.Dir, 0o755))
	c, err := Load(s)
	require.NoError(t, err)
	require.Equal(t, 2, c.Jobs)
	require.Equal(t, "../../pipeline.yaml:1:7", c.Origin("jobs").String())
	require.Equal(t, filepath.Join(s.Root, FileName), c.File)

	write(t, filepath.Join(s.Root, "a", FileName), "attempts: 5\ntasks: work\n")
	c, err = Load(s)
	require.NoError(t, err)
	require.Equal(t, 4, c.Jobs, "two files were mixed")
	require.Equal(t, 5, c.Attempts)
	require.Equal(t, filepath.Join(s.Root, "a", "work"), c.TasksDir)
}

func TestNoFileAboveTheRootIsRead(t *testing.T) {
	t.Parallel()
	s := project(t, "nonsense")
	s.Root = filepath.Join(s.Root, "repository")
	s.Dir = filepath.Join(s.Root, "sub")
	require.NoError(t, os.MkdirAll(s.Dir, 0o755))
	_, err := Load(s)
	require.NoError(t, err)
}

func TestTasksFromAFlagStartAtTheWorkingDirectory(t *testing.T) {
	t.Parallel()
	s := project(t, "tasks: plan\n")
	s.Dir = filepath.Join(s.Root, "sub")
	s.Flags = []Flag{{Key: "tasks", Name: "DIR", Value: "mine"}}
	c, err := Load(s)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(s.Dir, "mine"), c.TasksDir)
}

func TestEveryKeyCanBeSaidByAVariable(t *testing.T) {
	t.Parallel()
	s := project(t, "")
	s.Environ = []string{
		"PIPELINE_CFG_WINDOW_SUMMARY=3", "PIPELINE_CFG_WORKSPACE_PREPARE=npm ci", `PIPELINE_CFG_WORKSPACE_LINK=["a", b]`,
		"PIPELINE_CFG_LIMITS_OUTPUT=1MiB", "PIPELINE_CFG_BRANCH=2024: x", "PIPELINE_CFG_IDLE_TIMEOUT=0s", "PIPELINE_CFG_HOOKS=false",
		"PIPELINE_CFG_EXECUTORS={mine: {command: [./build.sh]}}", "PIPELINE_CFG_STAGES_BUILDER=mine", "PIPELINE_CFG_BUDGET_USD=0",
	}
	c, err := Load(s)
	require.NoError(t, err)
	require.Equal(t, 3, c.Window.Summary)
	require.Equal(t, Workspace{Prepare: []string{"npm ci"}, Link: []string{"a", "b"}}, c.Workspace)
	require.EqualValues(t, 1<<20, c.Limits.Output)
	require.Equal(t, "2024: x", c.Branch)
	require.Zero(t, c.IdleTimeout)
	require.Equal(t, []string{"./build.sh"}, c.Executors["mine"].Argv())
}

func TestAVariableThatNamesNoKeyIsAnError(t *testing.T) {
	t.Parallel()
	s := project(t, "")
	s.Environ = []string{"PIPELINE_CFG_JOBZ=1", "PIPELINE_TASK=fine", "PIPELINE_CFG_COLOURS=red"}
	_, err := Load(s)
	require.ErrorContains(t, err, `PIPELINE_CFG_JOBZ: "PIPELINE_CFG_JOBZ" is not known; did you mean PIPELINE_CFG_JOBS?`)
	require.ErrorContains(t, err, "PIPELINE_CFG_COLOURS")
	require.NotContains(t, err.Error(), "PIPELINE_TASK")
}

func TestWhatIsWrongIsToldAtItsPlaceWithWhatToWrite(t *testing.T) {
	t.Parallel()
	for yaml, want := range map[string]string{
		"jobz: 2":                    `pipeline.yaml:1:1: jobz: "jobz" is not known; did you mean jobs?`,
		"jobs: two":                  "pipeline.yaml:1:7: jobs: is a text; write a whole number",
		"jobs: 0":                    "pipeline.yaml:1:7: jobs: 0 is out of range; write a number from 1 to 1024",
		"jobs: -1":                   "1:7: jobs: -1 is out of range",
		"jobs: 1.5":                  "1:7: jobs: is a number; write a whole number",
		"jobs: 99999999999999999999": "1:7: jobs: ",
		"jobs:":                      "jobs: is empty; write a whole number",
		"jobs: ~":                    "1:7: jobs: is empty",
		"jobs: [1]":                  "jobs: is a list; write a whole number",
		"version: 2":                 "1:10: version: 2 is not known; write 1",
		"tasks: ''":                  "1:8: tasks: is empty",
		"branch: 2024":               `1:9: branch: 2024 is a number where a text was expected; write "2024"`,
		"branch: true":               `write "true"`,
		"timeout: 30":                `1:10: timeout: "30" is not a duration; write a number with its unit, such as 90s, 30m or 2h`,
		"timeout: 0s":                "timeout: 0s is not more than zero",
		"timeout: -5m":               "timeout: -5m is not more than zero",
		"isolation: docker":          `1:12: isolation: "docker" is not known; write worktree or none`,
		"undeclared: ignore":         "write include or fail",
		"workspace: {prepare: npm}":  "1:22: workspace.prepare: is a text; write a list",
		"workspace: {prepare: [1]}":  "1:23: workspace.prepare: 1 is a number",
		"workspace: {prepare: ['']}": "workspace.prepare: is empty",
		"workspace: {prepare: [~]}":  "workspace.prepare: is empty",
		"workspace: {prepare: [a], prepare_key: [package*.json]}": `1:40: workspace.prepare_key: "package*.json" is a pattern; name each file`,
		"workspace: {prepare: [a], prepare_key: [../go.mod]}":     `workspace.prepare_key: "../go.mod" does not stay inside the repository`,
		"workspace: {prepare_key: [go.mod]}":                      "1:26: workspace.prepare_key: there is nothing to run again; say what under workspace.prepare",
		"workspace: npm":                                          "1:12: workspace: is a text; write keys and values below it",
		"window: {full: 3}":                                       "1:16: window.full: summary (2) is smaller than full (3)",
		"window: {summary: 1, full: 2}":                           "1:19: window.summary: summary (1) is smaller than full (2)",
		"window: {ful: 3}":                                        `1:10: window.ful: "window.ful" is not known; did you mean window.full?`,
		"limits: {output: 1 PB}":                                  `1:18: limits.output: "1 PB" is not known; write bytes, or a size such as 64KiB`,
		"limits: {output: 0}":                                     "lets nothing through",
		"limits: {output: -1}":                                    "out of range",
		"limits: {output: 99999999999GiB}":                        "is not known",
		"budget: {tokens: lots}":                                  `"lots" is not known; write a number such as 500000, 500k or 2M`,
		"hooks: maybe":                                            "1:8: hooks: is a text; write true or false",
		"jobs: 1\njobs: 2":                                        "pipeline.yaml:2:1: not YAML: ",
		"jobs: [1":                                                "pipeline.yaml:1:",
		"- a":                                                     "1:1: is a list; write keys and values below it",
		"just text":                                               "is a text; write keys and values below it",
		"a: &x 1\nb: *x":                                          "is not known",
		"tasks: &x work":                                          "an anchor, alias or tag, which are not read",
		"tasks: !!str work":                                       "an anchor, alias or tag",
		"<<: {jobs: 2}":                                           "is not a plain text",
		"1: 2":                                                    `1:1: key "1" is not a plain text`,
		"jobs: 1\n---\njobs: 2":                                   "pipeline.yaml:3:",
		"stages: {builder: claude}":                               `1:19: stages.builder: there is no executor "claude"; add it under executors:, or name one of checks, script`,
		"stages: {verifier: x}":                                   "stages.verifier: there is no executor",
		"stages: {reverifier: x}":                                 "stages.reverifier: there is no executor",
		"landing_check: [make]\nreverify: never":                  "landing_check: has no effect on trees that are not verified again; write reverify: always, not never",
		"executors: {x: {}}":                                      "1:13: executors.x: write exactly one of command: [argv…], agent: NAME, script: true, checks: true",
		"executors: {x: {script: true, checks: true}}":            "executors.x: write exactly one of",
		"executors: {x: {script: false}}":                         "executors.x: write exactly one of",
		"executors: {x: {command: []}}":                           "executors.x: write exactly one of",
		"executors: {x: {command: ls}}":                           "executors.x.command: is a text; write a list",
		"executors: {x: {comand: [ls]}}":                          `1:17: executors.x.comand: "comand" is not known; did you mean command?`,
		"executors: {x: }":                                        "executors.x: is empty; write keys and values below it",
		"executors: {'a b': {script: true}}":                      `executors: "a b" cannot be a name`,
		"executors: {x: {script: true, args: [a]}}":               "executors.x.args: means nothing to an executor that is a script",
		"executors: {x: {command: [ls], env: {A-B: c}}}":          `executors.x.env: "A-B" cannot be the name of a variable`,
		"executors: {x: {command: [ls], env: {A: 1}}}":            `write "1"`,
		`executors: {x: {command: [ls], env: {A: "${env:}"}}}`:    `"${env:}" names no variable; write ${env:NAME}`,
		`executors: {x: {command: [ls], env: {A: "${env:B"}}}`:    "${env: is never closed",
		"executors: {x: {command: [ls], timeout: 5}}":             `executors.x.timeout: "5" is not a duration`,
	} {
		_, err := Load(project(t, yaml))
		var bad *Error
		require.ErrorAs(t, err, &bad, yaml)
		require.Contains(t, err.Error(), want, yaml)
	}
}

func TestAllProblemsAreToldAtOnce(t *testing.T) {
	t.Parallel()
	s := project(t, "jobs: zero\nwindow:\n  full: no\nexecutors:\n  x: {comand: [ls]}\n  y: {timeout: never}\n")
	s.Flags = []Flag{{Key: "attempts", Name: "--attempts", Value: "many"}}
	_, err := Load(s)
	var bad *Error
	require.ErrorAs(t, err, &bad)
	require.Len(t, bad.Problems, 5)
	require.Equal(t, 5, len(strings.Split(err.Error(), "\n")))
	require.ErrorContains(t, err, `--attempts: attempts: "many" is not a whole number`)
}

func TestAFileThatSaysNothingIsFine(t *testing.T) {
	t.Parallel()
	for _, yaml := range []string{"# nothing\n", "\n\n", "---\n", "{}\n", "\uFEFF# bom\r\n"} {
		require.Equal(t, 3, load(t, yaml).Attempts, "%q", yaml)
	}
}

func TestABOMAndCRLFAreAccepted(t *testing.T) {
	t.Parallel()
	c := load(t, "\uFEFFjobs: 2\r\nworkspace:\r\n  prepare:\r\n    - npm ci\r\n")
	require.Equal(t, 2, c.Jobs)
	require.Equal(t, []string{"npm ci"}, c.Workspace.Prepare)
}

func TestAFileThatIsNoFileIsAnError(t *testing.T) {
	t.Parallel()
	s := project(t, "")
	path := filepath.Join(s.Root, FileName)
	require.NoError(t, os.Mkdir(path, 0o755))
	_, err := Load(s)
	require.ErrorContains(t, err, "pipeline.yaml: is not a regular file")
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Symlink("nowhere", path))
	_, err = Load(s)
	require.ErrorContains(t, err, "pipeline.yaml: is a symbolic link to nothing")
}

func TestAFileIsBounded(t *testing.T) {
	t.Parallel()
	_, err := Load(project(t, strings.Repeat("# long\n", 1<<18)))
	require.ErrorContains(t, err, "pipeline.yaml: is longer than 1048576 bytes")
	_, err = Load(project(t, "a: "+strings.Repeat("[", 100_000)))
	require.ErrorContains(t, err, "pipeline.yaml:1: nested more than 32 deep")
	_, err = Load(project(t, strings.Repeat("- ", 100_000)))
	require.ErrorContains(t, err, "nested more than 32 deep")
	var deep strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&deep, "%sa:\n", strings.Repeat(" ", i))
	}
	_, err = Load(project(t, deep.String()))
	require.ErrorContains(t, err, "nested more than 32 deep")
}

func TestIsolationNoneForcesOneJob(t *testing.T) {
	t.Parallel()
	c := load(t, "isolation: none\njobs: 4\n")
	require.Equal(t, 1, c.Jobs)
	require.Equal(t, "isolation: none", c.Origin("jobs").String())
}

func TestAnExecutorOfAStrongerSourceReplacesTheWeakerWhole(t *testing.T) {
	t.Parallel()
	s := project(t, "executors: {x: {command: [new]}}\n")
	s.UserDir = t.TempDir()
	write(t, filepath.Join(s.UserDir, "pipeline", FileName), "executors: {x: {command: [old], args: [a]}, y: {checks: true}}\n")
	c, err := Load(s)
	require.NoError(t, err)
	require.Equal(t, []string{"new"}, c.Executors["x"].Argv())
	require.Equal(t, Origin{}, c.Origin("executors.x.args"))
	require.True(t, c.Executors["y"].Checks)
}

func TestAStageMayNameAnExecutorThatIsOnlyGivenInGo(t *testing.T) {
	t.Parallel()
	s := project(t, "stages: {builder: mine}\n")
	s.InGo = []string{"mine"}
	c, err := Load(s)
	require.NoError(t, err)
	require.Equal(t, "mine", c.Stages.Builder)
}

func TestAnExecutorsTimeoutsAreItsOwnElseTheConfigurations(t *testing.T) {
	t.Parallel()
	c := load(t, "timeout: 5m\nexecutors:\n  own: {command: [a], timeout: 1m, idle_timeout: 2m}\n  none: {command: [a]}\n")
	require.Equal(t, time.Minute, c.Executors["own"].Timeout)
	require.Equal(t, 2*time.Minute, c.Executors["own"].IdleTimeout)
	require.Equal(t, 5*time.Minute, c.Executors["none"].Timeout)
	require.Zero(t, c.Executors["none"].IdleTimeout, "only agents have an idle timeout by default")
	c = load(t, "idle_timeout: 3m\nexecutors: {x: {command: [a]}, y: {command: [a], idle_timeout: 0s}}\n")
	require.Equal(t, 3*time.Minute, c.Executors["x"].IdleTimeout)
	require.Zero(t, c.Executors["y"].IdleTimeout)
	require.Equal(t, 3*time.Minute, c.Executors["script"].IdleTimeout)
}

func FuzzLoad(f *testing.F) {
	f.Add("jobs: 2\nexecutors: {x: {command: [a], env: {K: \"${env:K}\"}}}\n")
	f.Add("window: {full: 1, summary: 2}\nlimits: {output: 1MiB}\n---\n")
	f.Add("a: [[[[{{{{\n- ? - ?\n")
	f.Add("? a\n: b\n")
	f.Add("tasks: |\n  x\nbranch: >-\n  y\n")
	f.Fuzz(func(t *testing.T, yaml string) {
		at := Origin{Kind: FromFile, Name: FileName}
		root, err := parse([]byte(yaml), at)
		l := loader{config: Default(4)}
		if err != nil {
			l.add(err)
		} else if root != nil {
			l.mapping("", value{node: root, at: at.moved(root)}, "/")
			l.finish(nil)
		}
		for _, p := range l.problems {
			if p.Message == "" || !strings.HasPrefix(p.Error(), FileName) && p.At.Kind == FromFile {
				t.Fatalf("a problem without place or words: %+v", p)
			}
		}
		if len(l.problems) == 0 && (l.config.Jobs < 1 || l.config.Attempts < 1 || l.config.Window.Summary < l.config.Window.Full) {
			t.Fatalf("accepted %+v", l.config)
		}
	})
}
