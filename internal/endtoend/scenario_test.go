package endtoend

import (
	"path/filepath"
	"strings"
	"sync"

	"github.com/stretchr/testify/require"
)

// steps is where every stage of a scenario notes that it was executed, as a
// shell writes it. It lies in the store, where no commit and no scan sees it.
const steps = `echo "$PIPELINE_TASK $PIPELINE_STAGE $PIPELINE_ATTEMPT $PIPELINE_ROUND" >> "$PIPELINE_CONTEXT_HANDOFF_DIR/../../../steps"`

// scenario is a repository and what is done in it.
type scenario struct {
	name    string
	files   map[string]string // of the first commit
	args    []string          // of run
	outside bool              // the tasks folder lies outside the repository
	clean   bool              // the user has nothing uncommitted but ignored files
	cut     stop              // where a run was cut off before the scenario begins

	once        sync.Once
	points      map[string]int // that an undisturbed run passes, and how often one process does
	undisturbed ending         // what it leaves
}

// noted is a TASK file whose stages note that they were executed.
func noted(id, build, verify string, deps ...string) string {
	return task(id, steps+"\n"+build, steps+"\n"+verify, deps...)
}

// diamond is a plan of four TASKs in a diamond and two of their own, of which
// one fails its first verification.
func diamond() map[string]string {
	return map[string]string{
		".gitignore":       "*.o\n",
		"pipeline.yaml":    "version: 1\nworkspace: {prepare: [\"echo prepared > prepared.o\"]}\n",
		"tracked":          "tracked\n",
		"shared":           "shared\n",
		"tasks/TASK-01.md": noted("TASK-01", "echo building; echo one > one", "grep -qx one one"),
		"tasks/TASK-02.md": noted("TASK-02", "cat one > two; rm shared", "grep -qx one two", "TASK-01"),
		"tasks/TASK-03.md": noted("TASK-03", "mkdir -p deep/er; cat one > deep/er/three", "grep -qx one deep/er/three", "TASK-01"),
		"tasks/TASK-04.md": noted("TASK-04", "cat two deep/er/three > four", "test -s four && test -f prepared.o", "TASK-02", "TASK-03"),
		"tasks/TASK-05.md": noted("TASK-05", "if [ $PIPELINE_ATTEMPT = 1 ]; then echo bad; else echo good; fi > five", "grep -qx good five"),
		"tasks/TASK-06.md": noted("TASK-06", "echo six > six; chmod +x six", "test -x six"),
	}
}

// pair is a plan of two TASKs, one after the other, with front matter before the
// first.
func pair(front string) map[string]string {
	return map[string]string{
		".gitignore":       "*.o\n",
		"tracked":          "tracked\n",
		"shared":           "shared\n",
		"tasks/TASK-01.md": front + noted("TASK-01", "echo one > one; rm shared", "grep -qx one one"),
		"tasks/TASK-02.md": noted("TASK-02", "if [ $PIPELINE_ATTEMPT = 1 ]; then echo bad; else cat one; fi > two", "grep -qx one two", "TASK-01"),
	}
}

// scenarios are those in which runs are killed. They are the same for all tests,
// so that each runs undisturbed only once.
var scenarios = sync.OnceValue(func() []*scenario {
	parallel := []string{"-j", "2"}
	return []*scenario{
		{name: "diamond", files: diamond(), args: parallel},
		{name: "landing cut off", files: diamond(), args: parallel, cut: stop{"before checkout read-tree", 2}},
		{name: "building cut off", files: diamond(), args: parallel, cut: stop{"before snapshot", 3}},
		{name: "approval", files: pair("---\napprove: true\n---\n"), args: []string{"--branch", "work"}},
		{name: "no isolation", files: pair(""), args: []string{"--isolation", "none"}, clean: true},
		{name: "tasks outside", files: pair(""), args: parallel, outside: true},
	}
})

// prepare makes the scenario's repository, up to where it begins.
func (s *scenario) prepare(p *place) *journey {
	p.Helper()
	j := &journey{place: p, scenario: s, begin: append([]string{"run", "-o", "quiet"}, s.args...), mine: map[string]string{"made.o": "the user's, ignored\n"}}
	if s.outside {
		j.plan = filepath.Join(p.TempDir(), "plan")
		j.begin = append(j.begin, j.plan)
	}
	for name, text := range s.files {
		folder, file, _ := strings.Cut(name, "/")
		if s.outside && folder == "tasks" {
			writeFile(p, j.plan, file, text)
			continue
		}
		p.write(map[string]string{name: text})
	}
	p.git("add", ".")
	p.git("commit", "-q", "-m", "Plan")
	if !s.clean {
		j.mine["tracked"] = "the user's edit\n"
		j.mine["staged"] = "the user's, staged\n"
		j.mine["notes/untracked"] = "the user's, untracked\n"
	}
	p.write(j.mine)
	if !s.clean {
		p.git("add", "staged")
	}
	j.status = p.git("status", "--porcelain", "--ignored", "-uall")
	if s.cut != (stop{}) {
		j.process(j.killedAt(s.cut), j.begin...)
	}
	return j
}

// run runs the scenario undisturbed, once for all tests.
func (s *scenario) run(p *place) {
	p.Helper()
	s.once.Do(func() {
		j := s.prepare(p)
		s.points = map[string]int{}
		for next := [][]string{j.begin}; len(next) > 0; next = next[1:] {
			r, passed := j.listing(next[0]...)
			for name, n := range passed {
				s.points[name] = max(s.points[name], n)
			}
			if r.code == waits {
				next = append(next, []string{"approve", "TASK-01"}, j.again())
			} else {
				require.Equal(p, done, r.code, "%v\n%s%s", next[0], r.stdout, r.stderr)
			}
		}
		s.undisturbed = j.end()
	})
}
