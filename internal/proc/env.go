package proc

import (
	"slices"
	"strings"
)

// Allowed picks from environ, as os.Environ gives it, what every stage may
// see: PATH, HOME, USER, LANG, LC_*, TZ, TMPDIR, TERM and SSH_AUTH_SOCK.
// Everything else, secrets above all, reaches a stage only if it is named.
func Allowed(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		key, _, _ := strings.Cut(entry, "=")
		switch key {
		case "PATH", "HOME", "USER", "LANG", "TZ", "TMPDIR", "TERM", "SSH_AUTH_SOCK":
			return false
		}
		return !strings.HasPrefix(key, "LC_")
	})
}
