package gitrepo

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/taskpipeline/pipeline/internal/crash"
)

// mark is whose TASK a workspace holds: three lines of a small file.
type mark struct{ session, task, base string }

func readMark(path string) (mark, bool) {
	b, err := os.ReadFile(path)
	if err != nil {
		return mark{}, false
	}
	lines := strings.Split(string(b), "\n")
	if len(lines) != 4 || lines[3] != "" {
		return mark{}, false
	}
	return mark{session: lines[0], task: lines[1], base: lines[2]}, true
}

func (m mark) write(path string) error {
	return replace(path, fmt.Sprintf("%s\n%s\n%s\n", m.session, m.task, m.base))
}

// replace writes a small file whole. It is not synced: what it tells of is a
// workspace, whose files are not synced either.
func replace(path, content string) error {
	name := filepath.Base(path)
	defer crash.Around("replace", name)()
	if err := cmp.Or(crash.Full("replace"), os.MkdirAll(filepath.Dir(path), 0o755)); err != nil {
		return err
	}
	tmp := path + ".new"
	if err := os.WriteFile(tmp, []byte(content), 0o644); err != nil {
		return err
	}
	crash.At("between write and rename of", name)
	return os.Rename(tmp, path)
}

// forget removes what replace has written, and what one that was killed has left.
func forget(path string) error {
	return errors.Join(ignoreMissing(os.Remove(path)), ignoreMissing(os.Remove(path+".new")))
}
