package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// FileName is the name of a project's configuration.
const FileName = "pipeline.yaml"

// find is the nearest pipeline.yaml in dir or above it, root's being the last;
// "" if there is none. Outside root only dir is looked in.
func find(dir, root string) (string, error) {
	dir, root = filepath.Clean(dir), filepath.Clean(root)
	if rel, err := filepath.Rel(root, dir); err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		root = dir
	}
	for {
		path := filepath.Join(dir, FileName)
		_, err := os.Lstat(path)
		if err == nil {
			return path, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if dir == root {
			return "", nil
		}
		dir = filepath.Dir(dir)
	}
}

// shown is a path as somebody in dir would type it.
func shown(path, dir string) string {
	if rel, err := filepath.Rel(dir, path); err == nil {
		return rel
	}
	return path
}

// read is a configuration file's text, and no more of it than is allowed. A
// file that does not exist says nothing.
func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(path); err == nil {
			return nil, errors.New("is a symbolic link to nothing")
		}
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("is not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(b) > maxFile {
		err = fmt.Errorf("is longer than %d bytes", maxFile)
	}
	return b, err
}
