package gitrepo

import (
	"os"
	"path/filepath"
)

func (r *Repo) indexesDir() string { return filepath.Join(r.pipelineDir(), "indexes", r.cfg.Session) }

// ownIndex makes a directory for an index that nobody else sees. One that a
// killed run has left goes when its session is opened again, or swept.
func (r *Repo) ownIndex() (string, error) {
	if err := os.MkdirAll(r.indexesDir(), 0o755); err != nil {
		return "", err
	}
	return os.MkdirTemp(r.indexesDir(), "")
}
