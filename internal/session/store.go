package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/taskpipeline/pipeline/internal/crash"
)

// Folder is the name of the store's folder at a repository's root.
const Folder = ".pipeline"

// Store is the folder that holds a repository's sessions. Reading from it never
// writes; it is made by the first Create.
type Store struct {
	// Dir is the absolute path of the folder, <repository root>/.pipeline.
	Dir string
}

// At is the Store of the repository whose root is given.
func At(root string) Store { return Store{Dir: filepath.Join(root, Folder)} }

// ErrExists says that a session to be created is already there.
var ErrExists = errors.New("session exists")

// Create makes a new session. An empty id asks for a fresh one, made from now.
// The error is an *IDError for an id that cannot be used, and wraps ErrExists
// for one that is taken; then nothing has been written.
func (s Store) Create(id string, now time.Time) (*Session, error) {
	if id == "" {
		id = NewID(now)
	}
	if err := CheckID(id); err != nil {
		return nil, err
	}
	if err := s.make(); err != nil {
		return nil, err
	}
	defer crash.Around("session create")()
	dir := s.path(id)
	if err := os.Mkdir(dir, 0o755); errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%w: %s; `pipeline resume %s` goes on with it", ErrExists, id, id)
	} else if err != nil {
		return nil, err
	}
	for _, name := range []string{handoffFolder, requestFolder} {
		crash.At("before session folder", name)
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			return nil, err
		}
	}
	if err := syncDir(dir); err != nil {
		return nil, err
	}
	return &Session{ID: id, Dir: dir}, syncDir(s.sessions())
}

// Open is the session of exactly this id. The error is an *IDError or a
// *NotFoundError.
func (s Store) Open(id string) (*Session, error) {
	if err := CheckID(id); err != nil {
		return nil, err
	}
	info, err := os.Stat(s.path(id))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return nil, &NotFoundError{Prefix: id, Dir: s.sessions()}
	}
	if err != nil {
		return nil, err
	}
	return &Session{ID: id, Dir: s.path(id)}, nil
}

func (s Store) sessions() string      { return filepath.Join(s.Dir, "sessions") }
func (s Store) path(id string) string { return filepath.Join(s.sessions(), id) }

// make creates the store's own folders. Its .gitignore is written first, so
// that git never sees a session's files.
func (s Store) make() error {
	defer crash.Around("store make")()
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return err
	}
	if _, err := os.Lstat(filepath.Join(s.Dir, ".gitignore")); errors.Is(err, fs.ErrNotExist) {
		if err := writeInside(s.Dir, ".gitignore", []byte("*\n")); err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	return os.MkdirAll(s.sessions(), 0o755)
}
