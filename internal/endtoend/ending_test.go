package endtoend

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
)

// ending is all that a journey leaves, but for the hashes and times that differ
// from one to the next and the order in which independent TASKs landed.
type ending struct {
	Commits []string          // subject and what it changed, sorted
	Tree    []string          // of the branch: mode, hash, path; records without hash
	Records map[string]string // text of progress.md and result.md
	Status  string            // what git says of the checkout
	Index   string            // what is staged
	Kept    []string          // files and folders of ours in the git directory
}

var (
	moment   = regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\dZ)?`)
	isRecord = regexp.MustCompile(`_(progress|result)\.md$`)
)

// end wants a repository as sound as an undisturbed run leaves it, and returns
// the rest for comparison.
func (j *journey) end() ending {
	j.Helper()
	for step, times := range j.finished() {
		require.Equal(j, 1, times, "%s was finished more than once", step)
	}
	j.nothingLeft()
	j.must(0, "check")
	for name, text := range j.mine {
		require.Equal(j, text, j.read(name), "the user's %s", name)
	}
	branch := "main"
	if slices.Contains(j.begin, "--branch") {
		branch = "work"
	}
	e := ending{Records: map[string]string{}, Index: j.git("diff", "--cached", "--raw"), Status: j.git("status", "--porcelain", "--ignored", "-uall")}
	e.Status = strings.Join(slices.DeleteFunc(strings.Split(e.Status, "\n"), func(line string) bool {
		return strings.HasPrefix(line, "!! .pipeline/")
	}), "\n")
	require.Equal(j, j.status, e.Status, "what the user had not committed")
	for commit := range strings.SplitSeq(j.git("log", "--format=%x00%s", "--raw", "--no-abbrev", "--no-renames", branch), "\x00") {
		e.Commits = append(e.Commits, withoutHashes(commit))
	}
	slices.Sort(e.Commits)
	for line := range strings.SplitSeq(j.git("ls-tree", "-r", branch), "\n") {
		path := line[strings.IndexByte(line, '\t')+1:]
		if isRecord.MatchString(path) {
			e.Records[path] = moment.ReplaceAllString(j.git("show", branch+":"+path), "MOMENT")
			line = path
		}
		e.Tree = append(e.Tree, line)
	}
	if j.plan != "" {
		maps.Copy(e.Records, filesOf(j.place, j.plan))
	}
	for name := range filesOf(j.place, j.path(".git/pipeline")) {
		e.Kept = append(e.Kept, name)
	}
	slices.Sort(e.Kept)
	return e
}

// withoutHashes leaves of git's raw lines what was done to which path, and the
// new content where it is nobody's record.
func withoutHashes(commit string) string {
	lines := strings.Split(strings.TrimSpace(commit), "\n")
	for i, line := range lines {
		f := strings.Fields(line)
		if !strings.HasPrefix(line, ":") {
			continue
		}
		if isRecord.MatchString(f[5]) {
			f[3] = "record"
		}
		lines[i] = strings.Join(append(f[1:2], f[3:]...), " ")
	}
	return strings.Join(lines, "\n")
}

// filesOf are the files below a folder with their text, and the folders that
// are empty.
func filesOf(p *place, dir string) map[string]string {
	p.Helper()
	found := map[string]string{}
	require.NoError(p, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		found[strings.TrimPrefix(path, dir+"/")] = moment.ReplaceAllString(string(b), "MOMENT")
		return err
	}))
	return found
}
