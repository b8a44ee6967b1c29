package gitrepo

import (
	"fmt"
	"strconv"
	"strings"
)

// scan is what `git status --porcelain=v2 --branch -z` found.
type scan struct {
	head  string // commit, "" when git printed none
	files []dirty
}

// dirty is one path that differs from HEAD, in the index or in the tree of files.
type dirty struct {
	path      string
	mode      uint32 // of the file as it lies there; 0: gone, or not tracked
	untracked bool
	nested    bool // a git repository of its own
	submodule bool
}

// parseStatus reads porcelain v2 with -z and without renames.
func parseStatus(out []byte) (scan, error) {
	var s scan
	for item := range strings.SplitSeq(string(out), "\x00") {
		if item == "" {
			continue
		}
		d := dirty{}
		switch item[0] {
		case '#':
			if oid, ok := strings.CutPrefix(item, "# branch.oid "); ok && oid != "(initial)" {
				s.head = oid
			}
			continue
		case '!':
			continue
		case '?':
			d.path, d.untracked = strings.TrimPrefix(item, "? "), true
			if p, ok := strings.CutSuffix(d.path, "/"); ok {
				d.path, d.nested = p, true
			}
		case '1', 'u':
			// 1 <XY> <sub> <mH> <mI> <mW> <hH> <hI> <path>
			// u <XY> <sub> <m1> <m2> <m3> <mW> <h1> <h2> <h3> <path>
			fields, work := 9, 5
			if item[0] == 'u' {
				fields, work = 11, 6
			}
			f := strings.SplitN(item, " ", fields)
			if len(f) != fields {
				return scan{}, fmt.Errorf("git status printed a line that cannot be read: %.100q", item)
			}
			mode, err := strconv.ParseUint(f[work], 8, 32)
			if err != nil {
				return scan{}, fmt.Errorf("git status printed the mode %.20q in %.100q", f[work], item)
			}
			d.path, d.mode, d.submodule = f[fields-1], uint32(mode), strings.HasPrefix(f[2], "S")
		default:
			return scan{}, fmt.Errorf("git status printed a line that cannot be read: %.100q", item)
		}
		if d.path == "" {
			return scan{}, fmt.Errorf("git status printed a line without a path: %.100q", item)
		}
		s.files = append(s.files, d)
	}
	return s, nil
}
