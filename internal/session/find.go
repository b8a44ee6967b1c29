package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sort"
	"strings"
)

// AmbiguousError is a prefix that several sessions share.
type AmbiguousError struct {
	Prefix string
	IDs    []string // sorted
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("session %q is ambiguous: %s; give more of the id", clip(e.Prefix, maxID), strings.Join(e.IDs, ", "))
}

// NotFoundError is an id or a prefix that no session has.
type NotFoundError struct {
	Prefix string
	Dir    string // where sessions are kept
}

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("no session %q in %s; `pipeline sessions` lists them", clip(e.Prefix, maxID), e.Dir)
}

// Find is the one session whose id starts with prefix, in any letter case; an
// id given in full wins over longer ones. The error is an *AmbiguousError or a
// *NotFoundError.
func (s Store) Find(prefix string) (*Session, error) {
	ids, err := s.IDs()
	if err != nil {
		return nil, err
	}
	var found []string
	for _, id := range ids {
		if id == prefix {
			return s.Open(id)
		}
		if len(id) >= len(prefix) && strings.EqualFold(id[:len(prefix)], prefix) {
			found = append(found, id)
		}
	}
	switch len(found) {
	case 0:
		return nil, &NotFoundError{Prefix: prefix, Dir: s.sessions()}
	case 1:
		return s.Open(found[0])
	}
	return nil, &AmbiguousError{Prefix: prefix, IDs: found}
}

// IDs are the ids of all sessions, sorted; none if there is no store yet.
func (s Store) IDs() ([]string, error) {
	entries, err := os.ReadDir(s.sessions())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, entry := range entries {
		if entry.IsDir() && CheckID(entry.Name()) == nil {
			ids = append(ids, entry.Name())
		}
	}
	sort.Strings(ids)
	return ids, nil
}
