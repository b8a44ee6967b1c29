package gitrepo

import (
	"context"
	"strings"
)

// settings are git's configuration as it holds for one checkout, last value
// of each key; keys are as `git config --list` prints them.
type settings map[string]string

func readSettings(ctx context.Context, git command) (settings, error) {
	out, err := git.run(ctx, "config", "--list", "-z")
	if err != nil {
		return nil, err
	}
	s := settings{}
	for item := range strings.SplitSeq(string(out), "\x00") {
		key, value, hasValue := strings.Cut(item, "\n")
		if !hasValue {
			value = "true" // `[core] bare` with no value
		}
		if key != "" {
			s[key] = value
		}
	}
	return s, nil
}

// on reads a boolean; unset is what the caller says.
func (s settings) on(key string, unset bool) bool {
	v, ok := s[key]
	if !ok {
		return unset
	}
	switch strings.ToLower(v) {
	case "false", "no", "off", "0", "":
		return false
	}
	return true
}
