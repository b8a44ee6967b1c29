package gitrepo

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"errors"
	"github.com/taskpipeline/pipeline/stages"
	"io/fs"
	"syscall"
)

// largeFile is the size from which git hashes a file, which needs no memory for it.
const largeFile = 16 << 20

// hashFiles writes the blobs of dirty paths and says what each path holds now.
// git does it where a filter, an attribute or a line-end setting may have a
// say; the rest is written directly.
func (r *Repo) hashFiles(ctx context.Context, s *slot, base plumbing.Hash, files []dirty) (map[string]leaf, error) {
	edits := make(map[string]leaf, len(files))
	var forGit []string
	attributes := attributeFinder{root: s.dir, seen: map[string]bool{}}
	changed := false // an attributes file itself
	for _, f := range files {
		changed = changed || f.path == ".gitattributes" || strings.HasSuffix(f.path, "/.gitattributes")
	}
	for _, f := range files {
		full := filepath.Join(s.dir, filepath.FromSlash(f.path))
		info, err := os.Lstat(full)
		switch {
		case err != nil && !isGone(err) && (f.untracked || f.mode != 0):
			return nil, stages.Faultf("%s cannot be read: %v", f.path, err)
		case err != nil || info.IsDir() || !info.Mode().IsRegular() && info.Mode()&os.ModeSymlink == 0,
			!f.untracked && f.mode == 0:
			// Gone, even if a symlink on the way leads to something, or a socket
			// or the like, which git cannot hold. A path may also be there as
			// untracked, from another line of the scan.
			if _, known := edits[f.path]; !known {
				edits[f.path] = leaf{}
			}
			continue
		}
		if !r.plain || changed || odd(f.path) || info.Size() > largeFile || attributes.above(f.path) {
			forGit = append(forGit, f.path)
			continue
		}
		l, err := r.hashFile(full, info, f)
		if err != nil {
			return nil, err
		}
		edits[f.path] = l
	}
	if len(forGit) == 0 {
		return edits, nil
	}
	return edits, r.hashByGit(ctx, s, base, forGit, edits)
}

func isGone(err error) bool {
	// A directory on the way was replaced by a file, or by a symlink to itself.
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
}

func (r *Repo) hashFile(full string, info os.FileInfo, f dirty) (leaf, error) {
	l := leaf{mode: modeFile}
	var content []byte
	var err error
	if info.Mode()&os.ModeSymlink != 0 {
		var to string
		to, err = os.Readlink(full)
		l.mode, content = modeSymlink, []byte(filepath.ToSlash(to))
	} else {
		if r.settings.on("core.filemode", true) {
			if info.Mode()&0o100 != 0 {
				l.mode = modeExec
			}
		} else if f.mode == modeExec {
			l.mode = modeExec
		}
		content, err = os.ReadFile(full)
	}
	if err != nil {
		return leaf{}, stages.Faultf("%s cannot be read: %v", f.path, err)
	}
	l.hash, err = r.objects.put(plumbing.BlobObject, content)
	return l, err
}

// hashByGit lets git convert and hash, through an index of its own that holds
// nothing but the paths in question: git's rule for line ends looks at what
// the index has.
func (r *Repo) hashByGit(ctx context.Context, s *slot, base plumbing.Hash, paths []string, edits map[string]leaf) error {
	dir, err := r.ownIndex()
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	git := s.git.with("GIT_INDEX_FILE=" + filepath.Join(dir, "index"))
	var known, wanted bytes.Buffer
	for _, p := range paths {
		l, err := r.objects.lookup(base, p)
		if err != nil {
			return err
		}
		if l.mode != 0 && l.mode != modeDir {
			fmt.Fprintf(&known, "%o %s\t%s\x00", l.mode, l.hash, p)
		}
		wanted.WriteString(p)
		wanted.WriteByte(0)
	}
	if _, err := git.feed(ctx, &known, "update-index", "-z", "--index-info"); err != nil {
		return err
	}
	if _, err := git.feed(ctx, &wanted, "update-index", "--add", "--remove", "--replace", "-z", "--stdin"); err != nil {
		if said := complaint(err); said != "" {
			return stages.Faultf("git does not take a changed file: %s", said)
		}
		return err
	}
	out, err := git.run(ctx, "ls-files", "-s", "-z")
	if err != nil {
		return err
	}
	for item := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		meta, path, ok := strings.Cut(item, "\t")
		f := strings.Fields(meta)
		if !ok || len(f) != 3 {
			continue
		}
		mode, err := strconv.ParseUint(f[0], 8, 32)
		if err != nil {
			return fmt.Errorf("git ls-files printed the mode %q", f[0])
		}
		edits[path] = leaf{mode: uint32(mode), hash: plumbing.NewHash(f[1])}
	}
	for _, p := range paths {
		if edits[p].mode == 0 {
			return stages.Faultf("%s is not a path that git takes", p)
		}
	}
	return nil
}

// odd tells of a path that git may refuse, such as one that some file system
// takes for ".git": git shall decide.
func odd(path string) bool {
	for name := range strings.SplitSeq(path, "/") {
		low := strings.ToLower(name)
		if low == "" || low == "." || low == ".." || strings.HasPrefix(low, ".git") || strings.HasPrefix(low, "git~") ||
			strings.ContainsAny(low, "\\:") {
			return true
		}
	}
	return false
}
