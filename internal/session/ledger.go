package session

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// outsideFolder is where a TASK's progress.md and result.md lie when the tasks
// folder is not committed.
const outsideFolder = "outside"

// ledger knows every file of a session's folder as this process left it, so
// that what somebody else does there is found. Its zero value knows nothing and
// finds nothing.
type ledger struct {
	// writing is held shared while a file is written and entered, and alone
	// while the folder is compared: it is then as it is entered.
	writing sync.RWMutex

	mu     sync.Mutex
	files  map[string]fs.FileInfo // by slash-separated path; nil until begun
	struck map[string]bool        // found changed when it was next written
}

// write performs do, which writes one file, and enters the file as it is then.
func (l *ledger) write(dir, name string, do func() error) error {
	l.writing.RLock()
	defer l.writing.RUnlock()
	path := filepath.Join(dir, filepath.FromSlash(name))
	l.compare(name, path)
	err := do()
	l.mu.Lock()
	defer l.mu.Unlock()
	if info, statErr := os.Lstat(path); statErr == nil && l.files != nil {
		l.files[name] = info
	} else {
		delete(l.files, name)
	}
	return err
}

// compare keeps in mind that a file was changed: once it is written again, it
// cannot be seen any more.
func (l *ledger) compare(name, path string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.files[name]
	if was == nil {
		return
	}
	if is, err := os.Lstat(path); err != nil || !sameFile(was, is) {
		l.struck[name] = true
	}
}

// begin enters all that is there.
func (l *ledger) begin(dir string) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	files, err := ownFiles(dir)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.files, l.struck = files, map[string]bool{}
	return err
}

// foreign are the files that are not as they were entered: changed, made or
// removed by somebody else. They are entered as they are now.
func (l *ledger) foreign(dir string) ([]string, error) {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.files == nil {
		return nil, nil
	}
	now, err := ownFiles(dir)
	if err != nil {
		return nil, err
	}
	for name, info := range now {
		if was := l.files[name]; was == nil || !sameFile(was, info) {
			l.struck[name] = true
		}
	}
	for name := range l.files {
		if _, there := now[name]; !there {
			l.struck[name] = true
		}
	}
	out := slices.Sorted(maps.Keys(l.struck))
	l.files, l.struck = now, map[string]bool{}
	return out, nil
}

// sameFile tells whether a file is the one that it was, untouched.
func sameFile(was, is fs.FileInfo) bool {
	return os.SameFile(was, is) && was.Size() == is.Size() && was.ModTime().Equal(is.ModTime()) && was.Mode() == is.Mode()
}

// ownFiles are the files of a session's folder that only the pipeline writes.
func ownFiles(dir string) (map[string]fs.FileInfo, error) {
	files := map[string]fs.FileInfo{}
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || p == dir {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		if othersMayWrite(name) {
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if e.IsDir() {
			return nil
		}
		info, err := e.Info()
		if err == nil {
			files[name] = info
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	return files, err
}

// othersMayWrite tells which parts of a session's folder are not the pipeline's
// alone: what agents hand on, where their CLIs keep their sessions, what people
// ask of a run, what a builder reports where the tasks folder is not committed.
func othersMayWrite(name string) bool {
	top, rest, _ := strings.Cut(name, "/")
	switch top {
	case handoffFolder, requestFolder, outsideFolder:
		return true
	}
	below, _, _ := strings.Cut(rest, "/")
	return below == agentSessions
}

// agentSessions is the folder, in that of an agent, that is its CLI's own.
const agentSessions = "agent_sessions"

// Foreign returns, once, the files of the session's folder that somebody else
// than this process has changed, made or removed since Journal was called, by
// their slash-separated paths. Those parts in which others may write do not
// count. agent_map.json, by which agents are called, is put back. An error of the
// record itself, events.jsonl, is one that cannot be gone on with.
func (s *Session) Foreign() ([]string, error) {
	names, err := s.ledger.foreign(s.Dir)
	if slices.Contains(names, agentMapFile) {
		err = errors.Join(err, s.restoreAgents())
	}
	if slices.Contains(names, eventsFile) {
		return names, errors.Join(err, &RecordError{File: s.EventsFile(), Err: errors.New("a stage has changed it while the run was writing it")})
	}
	return names, err
}

// restoreAgents puts agent_map.json back as this process last knew it.
func (s *Session) restoreAgents() error {
	s.agents.Lock()
	defer s.agents.Unlock()
	if s.mapped == nil {
		return s.ledger.write(s.Dir, agentMapFile, func() error { return os.RemoveAll(filepath.Join(s.Dir, agentMapFile)) })
	}
	return s.save(agentMapFile, s.mapped)
}

// knowAgents reads agent_map.json as it is when a run begins. One that cannot be
// read is told of when an agent needs it.
func (s *Session) knowAgents() {
	s.agents.Lock()
	defer s.agents.Unlock()
	s.mapped, _ = readInside(s.Dir, agentMapFile, maxAgentMap)
}

// save is writeInside, entered in the ledger.
func (s *Session) save(name string, b []byte) error {
	return s.ledger.write(s.Dir, name, func() error { return writeInside(s.Dir, name, b) })
}
