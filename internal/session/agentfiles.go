package session

import (
	"errors"
	"io/fs"
	"os"
	"sort"
)

// Names of what an agent's folder holds, beside its steps' messages.
const (
	OutputFile   = outputFile
	EnvelopeFile = "envelope.json"
	PromptFolder = "prompts"
)

// AgentFolders are the names of the agents that have a folder, sorted; none
// when the session has none, or is gone.
func (s *Session) AgentFolders() ([]string, error) {
	entries, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		switch name := entry.Name(); {
		case !entry.IsDir(), name == handoffFolder, name == requestFolder:
		default:
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names, nil
}

// OpenFile opens a regular file of the session's folder for reading. No
// symbolic link on the way leads out of it.
func (s *Session) OpenFile(name string) (*os.File, error) { return openInside(s.Dir, name) }

// Prompts are the names of the files in an agent's folder of prompts, sorted.
func (s *Session) Prompts(agent string) ([]string, error) {
	root, err := os.OpenRoot(s.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), agent+"/"+PromptFolder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names, err
}
