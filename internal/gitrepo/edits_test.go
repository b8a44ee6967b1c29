package gitrepo

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// editor makes random changes in a directory, as a builder might.
type editor struct {
	*rapid.T
	dir string
}

// names collide often, so that files and directories change places.
func (e editor) path() string {
	name := rapid.SampledFrom([]string{
		"a.txt", "dir", "b.txt", "A.TXT", "x", "x.o",
		"\u00fc", "u\u0308", "\xff\xfe", "new\nline", "tab\tin", `"quoted"`, `back\slash`, "-dash", ":(top)x", "*", " ", "~", "git",
		strings.Repeat("l", 255),
	})
	parts := rapid.SliceOfN(name, 1, 3).Draw(e.T, "path")
	return filepath.Join(append([]string{e.dir}, parts...)...)
}

// clear makes room for something at a path.
func (e editor) clear(path string) {
	for up := filepath.Dir(path); len(up) > len(e.dir); up = filepath.Dir(up) {
		if info, err := os.Lstat(up); err == nil && !info.IsDir() {
			e.need(os.Remove(up))
		}
	}
	e.need(os.RemoveAll(path))
	e.need(os.MkdirAll(filepath.Dir(path), 0o755))
}

func (e editor) need(err error) {
	if err != nil {
		e.Fatal(err)
	}
}

func (e editor) write() {
	path := e.path()
	e.clear(path)
	content := rapid.SampledFrom([]string{"", "one\n", "two\n", "cr\r\nlf\r\n", "no end", "nul\x00\r\n", "$Id$\n"}).Draw(e.T, "content")
	e.need(os.WriteFile(path, []byte(content), rapid.SampledFrom([]os.FileMode{0o644, 0o755}).Draw(e.T, "mode")))
}

func (e editor) link() {
	path := e.path()
	e.clear(path)
	e.need(os.Symlink(rapid.SampledFrom([]string{"a.txt", "dir", "gone", "/etc", "../.."}).Draw(e.T, "to"), path))
}

func (e editor) remove() { _ = os.RemoveAll(e.path()) } // there may be a file on the way to it

func (e editor) rename() {
	from, to := e.path(), e.path()
	if _, err := os.Lstat(from); err != nil || strings.HasPrefix(to+"/", from+"/") || strings.HasPrefix(from+"/", to+"/") {
		return
	}
	e.clear(to)
	_ = os.Rename(from, to) // what was cleared may have been on the way to it
}

func (e editor) hardLink() {
	from, to := e.path(), e.path()
	if info, err := os.Lstat(from); err != nil || !info.Mode().IsRegular() || strings.HasPrefix(to+"/", from+"/") || strings.HasPrefix(from+"/", to+"/") {
		return
	}
	e.clear(to)
	_ = os.Link(from, to)
}

func (e editor) makeDir() { _ = os.MkdirAll(e.path(), 0o755) }

// ignore writes ignore rules, at the top or below.
func (e editor) ignore() {
	dir := rapid.SampledFrom([]string{"", "dir"}).Draw(e.T, "rules in")
	path := filepath.Join(e.dir, dir, ".gitignore")
	e.clear(path)
	rules := rapid.SliceOfN(rapid.SampledFrom([]string{"*.o", "!x.o", "dir/", "/x", "a.txt", "b.txt", "!dir"}), 1, 3).Draw(e.T, "rules")
	if dir == "" && rapid.Bool().Draw(e.T, "ignores itself") {
		rules = append(rules, rapid.SampledFrom([]string{"*", ".git*"}).Draw(e.T, "by"))
	}
	e.need(os.WriteFile(path, []byte(strings.Join(rules, "\n")+"\n"), 0o644))
}

// attributes says how git converts.
func (e editor) attributes() {
	dir := rapid.SampledFrom([]string{"", "dir"}).Draw(e.T, "attributes in")
	path := filepath.Join(e.dir, dir, ".gitattributes")
	e.clear(path)
	line := rapid.SampledFrom([]string{"* text=auto", "*.txt text eol=crlf", "* -text", "*.txt ident", "x filter=up"}).Draw(e.T, "attribute")
	e.need(os.WriteFile(path, []byte(line+"\n"), 0o644))
}

// stage uses the index of the workspace, which is the builder's to play with.
func (e editor) stage() {
	args := rapid.SampledFrom([][]string{
		{"add", "-A"}, {"add", "-A", "-f"}, {"reset", "-q"}, {"rm", "-rq", "--cached", "--ignore-unmatch", "a.txt", "dir"}, {"add", "-N", "."},
	}).Draw(e.T, "git")
	cmd := exec.Command("git", args...)
	cmd.Dir = e.dir
	_ = cmd.Run()
}

// edit makes some of all kinds of changes, and of those named.
func (e editor) edit(more ...string) {
	actions := map[string]func(*rapid.T){}
	for name, do := range map[string]func(){
		"write": e.write, "remove": e.remove, "rename": e.rename, "symlink": e.link, "hard link": e.hardLink,
		"directory": e.makeDir, "ignore": e.ignore, "attributes": e.attributes, "stage": e.stage,
	} {
		if name != "attributes" && name != "stage" || slices.Contains(more, name) {
			actions[name] = func(*rapid.T) { do() }
		}
	}
	e.Repeat(actions)
}
