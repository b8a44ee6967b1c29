package session

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/google/renameio/v2"

	"github.com/taskpipeline/pipeline/internal/crash"
)

// maxName bounds the names that executors give to the files they save.
const maxName = 512

// checkName accepts relative, slash-separated names that stay inside a folder.
func checkName(name string) error {
	switch {
	case len(name) > maxName:
		return fmt.Errorf("file name of %d bytes: at most %d are allowed", len(name), maxName)
	case !fs.ValidPath(name), name == ".", strings.Contains(name, `\`):
		return fmt.Errorf("file name %q: not a relative path inside the step's folder", name)
	case strings.ContainsFunc(name, unicode.IsControl):
		return fmt.Errorf("file name %q: holds a control character", name)
	}
	return nil
}

// writeInside replaces a file below dir, whole: the bytes are on disk before
// the name is. No symbolic link on the way can lead out of dir, whatever an
// agent planted there.
//
// The folder itself is not synced: this costs as much again as the file, and
// the sync of the record that follows every saved file settles the rename on
// journalling file systems.
func writeInside(dir, name string, b []byte) error {
	defer crash.Around("session file", path.Base(name))()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := crash.Full("session file"); err != nil {
		return err
	}
	if parent := path.Dir(name); parent != "." {
		if err := root.MkdirAll(parent, 0o755); err != nil {
			return err
		}
	}
	err = renameio.WriteFile(name, b, 0o644, renameio.WithRoot(root))
	if inRoot := (*fs.PathError)(nil); errors.As(err, &inRoot) { // it names a temporary file, and not where it is
		err = &fs.PathError{Op: "write", Path: filepath.Join(dir, filepath.FromSlash(name)), Err: inRoot.Err}
	}
	return err
}

// syncDir makes the names in a folder durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// readInside reads a regular file below dir, of at most limit bytes.
func readInside(dir, name string, limit int64) ([]byte, error) {
	f, err := openInside(dir, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("longer than %d bytes", limit)
	}
	return b, err
}

// openInside opens a regular file below dir for reading.
func openInside(dir, name string) (*os.File, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // a pipe would block for ever
		return nil, errors.New("not a regular file")
	}
	return root.Open(name)
}
