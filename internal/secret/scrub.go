package secret

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Files are the files of some folders as they were at one time.
type Files map[string]fs.FileInfo

// Look remembers the files in folders; one that is not there has none.
func Look(dirs ...string) Files {
	files := Files{}
	for _, dir := range dirs {
		_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				if info, err := e.Info(); err == nil {
					files[path] = info
				}
			}
			return nil // what cannot be looked at counts as changed later
		})
	}
	return files
}

// untouched tells whether a file is the one that it was.
func (f Files) untouched(path string, is fs.FileInfo) bool {
	was := f[path]
	return was != nil && os.SameFile(was, is) && was.Size() == is.Size() && was.ModTime().Equal(is.ModTime())
}

// Found is a file that held a secret.
type Found struct {
	Path string // with every secret in it masked, which is what it is called now
	Name string // of the first secret
}

// Scrub masks every secret in the files of some folders, but for those that are
// as they were. The mask is as long as the secret, so that a file of any format
// keeps its layout. Links are not followed; one that leads to a name with a
// secret in it is removed.
func (s *Set) Scrub(ctx context.Context, was Files, dirs ...string) (found []Found, _ error) {
	if s == nil {
		return nil, nil
	}
	var failed []error
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case errors.Is(err, fs.ErrNotExist):
				return nil
			case err != nil:
				failed = append(failed, err)
				return nil
			case e.IsDir():
				return nil
			}
			info, err := e.Info()
			if err != nil || was.untouched(path, info) {
				return nil
			}
			name, err := s.scrub(path, info)
			if in := s.In([]byte(e.Name())); in != "" {
				name, err = in, errors.Join(err, os.Rename(path, filepath.Join(filepath.Dir(path), s.Text(e.Name()))))
			}
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				failed = append(failed, err)
			}
			if name != "" {
				found = append(found, Found{s.Text(path), name})
			}
			return nil
		})
		failed = append(failed, err)
	}
	return found, errors.Join(failed...)
}

// scrub masks what one file holds, and returns the name of the first secret.
func (s *Set) scrub(path string, info fs.FileInfo) (string, error) {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(path)
		name := s.In([]byte(target))
		if err != nil || name == "" {
			return "", err
		}
		return name, os.Remove(path)
	case !info.Mode().IsRegular():
		return "", nil
	}
	f, err := os.OpenFile(path, os.O_RDONLY|noFollow, 0)
	if errors.Is(err, fs.ErrPermission) {
		if err := os.Chmod(path, 0o600); err != nil {
			return "", err
		}
		f, err = os.OpenFile(path, os.O_RDONLY|noFollow, 0)
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	var to *os.File
	name := ""
	err = s.search(f, func(at span) (err error) {
		if to == nil {
			name = at.name
			if to, err = writable(path, f, info); err != nil {
				return err
			}
		}
		_, err = to.WriteAt(bytes.Repeat([]byte("*"), at.end-at.start), int64(at.start))
		return err
	})
	if to != nil {
		err = errors.Join(err, to.Close())
	}
	return name, err
}

// writable opens the file for writing. One that has another name, too, or may
// not be written, is replaced by a copy: what it is under that name is none of
// our business.
func writable(path string, f *os.File, info fs.FileInfo) (*os.File, error) {
	if names(info) == 1 {
		if to, err := os.OpenFile(path, os.O_WRONLY|noFollow, 0); err == nil {
			return to, nil
		}
	}
	return replacement(path, f, info)
}

// replacement is a copy of a file in its place, open for writing.
func replacement(path string, f *os.File, info fs.FileInfo) (*os.File, error) {
	to, err := os.CreateTemp(filepath.Dir(path), ".masked-")
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(to, io.NewSectionReader(f, 0, info.Size()))
	err = errors.Join(err, to.Chmod(info.Mode().Perm()), os.Rename(to.Name(), path))
	if err != nil {
		return nil, errors.Join(err, to.Close(), os.Remove(to.Name()))
	}
	return to, nil
}

// noFollow opens no link, and waits for nobody to open the other end of a pipe.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// names is how many names a file has.
func names(info fs.FileInfo) uint64 {
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(sys.Nlink)
	}
	return 0
}
