package envelope

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxJSON bounds the size of an artifact that json_parses reads, in bytes.
const maxJSON = 64 << 20

// artifact is one entry of artifacts, looked up.
type artifact struct {
	item    string // as it is written
	path    string // absolute; "" if it cannot be a path
	outside bool   // as it is spelled
}

// locate looks a name up: a relative one in the workspace, and if it is not
// there in the folder for handoffs and then in the session's folder.
func (p places) locate(name string) artifact {
	a := artifact{item: name}
	switch {
	case !isPath(name):
		return a
	case filepath.IsAbs(name):
		a.path = filepath.Clean(name)
	default:
		a.path = filepath.Join(p.spelled[0], name)
		for _, root := range p.spelled {
			there := filepath.Join(root, name)
			if _, err := os.Lstat(there); err == nil {
				a.path = there
				break
			}
		}
	}
	a.outside = !p.hold(a.path)
	return a
}

func isPath(name string) bool {
	return strings.TrimSpace(name) != "" && !strings.ContainsRune(name, 0)
}

// eachArtifact looks at every artifact. A look that has nothing to say of one
// returns nil.
func eachArtifact(e Envelope, f Facts, look func(places, artifact) *Check) []Check {
	list, checks := within(e.Common().Artifacts, "artifacts")
	p := placesOf(f)
	for _, name := range list {
		if c := look(p, p.locate(name)); c != nil {
			c.Item = itemOf(name)
			checks = append(checks, *c)
		}
	}
	return checks
}

// says is a check that has found something, or nothing.
func says(note string) *Check { return &Check{OK: note == "", Note: note} }

// artifactsInTree follows symlinks.
func artifactsInTree(_ context.Context, e Envelope, f Facts) []Check {
	return eachArtifact(e, f, func(p places, a artifact) *Check {
		switch {
		case a.path == "":
			return says("not a path")
		case a.outside:
			return says("outside of the workspace and of the session's folder")
		}
		if end, err := filepath.EvalSymlinks(a.path); err == nil && !p.reallyHold(end) {
			return says("a symlink that leads out of the workspace and of the session's folder")
		}
		return says("")
	})
}

func artifactsExist(_ context.Context, e Envelope, f Facts) []Check {
	return eachArtifact(e, f, func(_ places, a artifact) *Check {
		if a.path == "" {
			return says("not a path")
		}
		_, err := os.Stat(a.path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return says("does not exist")
		case err != nil:
			return says("cannot be looked at: " + reason(err))
		}
		return says("")
	})
}

// reason is an error of the file system without the path.
func reason(err error) string {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		return e.Err.Error()
	}
	return err.Error()
}

// artifactsNonEmpty leaves what does not exist to artifactsExist.
func artifactsNonEmpty(_ context.Context, e Envelope, f Facts) []Check {
	return eachArtifact(e, f, func(_ places, a artifact) *Check {
		info, err := os.Stat(a.path)
		switch {
		case err != nil:
			return nil
		case info.IsDir():
			if entries, err := os.ReadDir(a.path); err == nil && len(entries) == 0 {
				return says("an empty folder")
			}
		case info.Mode().IsRegular() && info.Size() == 0:
			return says("empty")
		}
		return says("")
	})
}

// jsonParses looks at the artifacts whose names end with .json.
func jsonParses(_ context.Context, e Envelope, f Facts) []Check {
	return eachArtifact(e, f, func(p places, a artifact) *Check {
		if !strings.EqualFold(filepath.Ext(a.path), ".json") {
			return nil
		}
		end, err := filepath.EvalSymlinks(a.path)
		if err != nil {
			return nil // artifacts_exist tells
		}
		info, err := os.Stat(end)
		switch {
		case err != nil:
			return nil
		case !p.reallyHold(end):
			return says("not read: it is outside of the workspace and of the session's folder")
		case !info.Mode().IsRegular():
			return says("not a file")
		case info.Size() > maxJSON:
			return says(fmt.Sprintf("%d bytes; at most %d are read", info.Size(), maxJSON))
		}
		b, err := os.ReadFile(end)
		if err != nil {
			return says("cannot be read: " + reason(err))
		}
		var whole json.RawMessage
		if err := json.Unmarshal(b, &whole); err != nil {
			return says("not JSON: " + err.Error())
		}
		return says("")
	})
}
