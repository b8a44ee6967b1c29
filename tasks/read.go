package tasks

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"
)

// Limits on what is read from a tasks folder.
const (
	MaxFileSize = 1 << 20  // bytes of one TASK file
	MaxPlanSize = 16 << 20 // bytes of PLAN.md
	MaxTasks    = 100_000  // TASKs of one folder
)

// errDirectory tells that a name holds a directory where a file is read.
var errDirectory = errors.New("is a directory")

// readFile reads one regular file of the folder, and not a byte more than it
// takes to see that it is over the limit. A link may lead to another file of the
// folder, but not out.
func readFile(fsys fs.FS, e fs.DirEntry, limit int64) ([]byte, error) {
	if err := readable(fsys, e); err != nil {
		return nil, err
	}
	f, err := fsys.Open(e.Name())
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", cause(err))
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", cause(err))
	}
	if info.Size() > limit {
		return nil, tooLarge(limit)
	}
	var b bytes.Buffer
	b.Grow(int(info.Size()) + bytes.MinRead) // room to see the end without growing
	if _, err := b.ReadFrom(io.LimitReader(f, limit+1)); err != nil {
		return nil, fmt.Errorf("cannot be read: %w", cause(err))
	}
	if int64(b.Len()) > limit {
		return nil, tooLarge(limit)
	}
	return b.Bytes(), nil
}

// readable looks before anything is opened: opening a named pipe could block for
// ever.
func readable(fsys fs.FS, e fs.DirEntry) error {
	mode := e.Type()
	if mode&fs.ModeSymlink != 0 {
		if target, err := fs.ReadLink(fsys, e.Name()); err == nil && leadsOut(target) {
			return fmt.Errorf("is a link out of the folder, to %s: put the file itself here", brief(target))
		}
		info, err := fs.Stat(fsys, e.Name())
		if err != nil {
			return fmt.Errorf("is a link that cannot be followed: %w", cause(err))
		}
		mode = info.Mode().Type()
	}
	switch {
	case mode.IsDir():
		return errDirectory
	case !mode.IsRegular():
		return errors.New("is not a regular file: put a file here or rename it")
	}
	return nil
}

func tooLarge(limit int64) error {
	return fmt.Errorf("is too large: the limit is %d MiB; split it", limit>>20)
}

// leadsOut reports whether a link's target, seen from the folder, lies outside.
func leadsOut(target string) bool {
	target = strings.ReplaceAll(target, `\`, "/")
	clean := path.Clean(target)
	return path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") || (len(clean) > 1 && clean[1] == ':')
}

// cause leaves out the name, which the problem already bears.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// decode turns a file's bytes into text: no byte order mark, LF line ends, and
// U+FFFD for each NUL. Line numbers stay those of the file.
func decode(file string, data []byte) (string, []Problem) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if !utf8.Valid(data) {
		line, col := 1, 1
		for rest := data; ; {
			r, size := utf8.DecodeRune(rest)
			if r == utf8.RuneError && size <= 1 {
				break
			}
			if col++; r == '\n' {
				line, col = line+1, 1
			}
			rest = rest[size:]
		}
		return "", []Problem{place{file, line, col}.problem(Error, "is not UTF-8 here: save the file as UTF-8")}
	}
	var problems []Problem
	if nul := bytes.IndexByte(data, 0); nul >= 0 {
		line := 1 + bytes.Count(data[:nul], []byte("\n"))
		problems = append(problems, place{file, line, 0}.problem(Warning, "holds a NUL byte, read as U+FFFD: take it out"))
	}
	text := string(data)
	if strings.Contains(text, "\r\n") {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	return strings.ReplaceAll(text, "\x00", "\uFFFD"), problems
}

// maxQuoted bounds what a message repeats of a file, in runes.
const maxQuoted = 60

// brief quotes text of a file for a message: on one line, escaped, bounded.
func brief(s string) string {
	n := 0
	for i := range s {
		if n++; n > maxQuoted {
			return fmt.Sprintf("%q…", s[:i])
		}
	}
	return fmt.Sprintf("%q", s)
}
