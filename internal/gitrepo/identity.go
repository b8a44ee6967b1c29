package gitrepo

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing/object"
)

// identities are who commits, as git resolves them from its configuration and
// the GIT_AUTHOR_* and GIT_COMMITTER_* variables.
type identities struct{ author, committer object.Signature }

func readIdentities(ctx context.Context, git command) (identities, error) {
	var ids identities
	for name, into := range map[string]*object.Signature{"GIT_AUTHOR_IDENT": &ids.author, "GIT_COMMITTER_IDENT": &ids.committer} {
		// useConfigOnly: git would else make an address up from the host's name.
		said, err := git.line(ctx, "-c", "user.useConfigOnly=true", "var", name)
		if err != nil {
			return ids, refuse("`git config --global user.name \"Your Name\"` and `git config --global user.email you@example.com`",
				"git does not know who commits (user.name, user.email)")
		}
		who, ok := parseIdentity(said)
		if !ok {
			return ids, fmt.Errorf("git var %s printed %q, which is not a name and an address", name, said)
		}
		*into = who
	}
	return ids, nil
}

// parseIdentity reads "A U Thor <author@example.com> 1700000000 +0100",
// without the time.
func parseIdentity(s string) (object.Signature, bool) {
	open, end := strings.IndexByte(s, '<'), strings.LastIndexByte(s, '>')
	if open < 1 || end < open {
		return object.Signature{}, false
	}
	return object.Signature{Name: strings.TrimSpace(s[:open]), Email: s[open+1 : end]}, true
}

// at is the identity with a time, in UTC.
func at(who object.Signature, t time.Time) object.Signature {
	who.When = t.UTC()
	return who
}
