package config

import (
	"fmt"
	"path/filepath"
	"strings"
)

// checkPrepareKey looks at what decides whether prepare runs again. A path that
// could never match would let it never run again, and nobody notice.
func (l *loader) checkPrepareKey() {
	const key = "workspace.prepare_key"
	c := &l.config
	at := c.origins[key]
	for _, p := range c.Workspace.PrepareKey {
		switch {
		case strings.ContainsAny(p, "*?"):
			l.add(&Problem{At: at, Key: key, Message: fmt.Sprintf("%q is a pattern; name each file, or the folder it is in", clip(p))})
		case !filepath.IsLocal(filepath.FromSlash(p)):
			l.add(&Problem{At: at, Key: key, Message: fmt.Sprintf("%q does not stay inside the repository; name a path below its root", clip(p))})
		}
	}
	if len(c.Workspace.PrepareKey) > 0 && len(c.Workspace.Prepare) == 0 {
		l.add(&Problem{At: at, Key: key, Message: "there is nothing to run again; say what under workspace.prepare"})
	}
}
