package gitrepo

import (
	"os"
	"path/filepath"
	"strings"
)

// convertsNothing tells whether no setting outside the tree of files can
// change a file's content on its way into the repository.
func (r *Repo) convertsNothing() bool {
	if v := strings.ToLower(r.settings["core.autocrlf"]); v != "" && v != "false" {
		return false
	}
	if _, set := r.settings["core.attributesfile"]; set || !r.settings.on("core.symlinks", true) {
		return false
	}
	user := os.Getenv("XDG_CONFIG_HOME")
	if user == "" {
		home, _ := os.UserHomeDir()
		user = filepath.Join(home, ".config")
	}
	places := []string{filepath.Join(user, "git", "attributes"), filepath.Join(r.common, "info", "attributes")}
	for _, prefix := range []string{"/", "/usr", "/usr/local", "/opt/homebrew", "/opt/local"} {
		places = append(places, filepath.Join(prefix, "etc", "gitattributes"))
	}
	for _, p := range places {
		if _, err := os.Stat(p); err == nil {
			return false
		}
	}
	return true
}

// attributeFinder finds .gitattributes files on the way to paths.
type attributeFinder struct {
	root string
	seen map[string]bool // directory → has one
}

func (a attributeFinder) above(path string) bool {
	for dir := parent(path); ; dir = parent(dir) {
		has, known := a.seen[dir]
		if !known {
			_, err := os.Lstat(filepath.Join(a.root, filepath.FromSlash(dir), ".gitattributes"))
			has = err == nil
			a.seen[dir] = has
		}
		if has {
			return true
		}
		if dir == "" {
			return false
		}
	}
}
