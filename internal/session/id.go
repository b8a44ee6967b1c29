package session

import (
	"crypto/rand"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"
)

// maxID keeps an id usable as a file name and inside a ref's name.
const maxID = 100

var idPattern = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]*$`)

// IDError is a session id that cannot be used, with the reason. It is a mistake
// of whoever typed it; nothing has been written.
type IDError struct {
	ID     string
	Reason string
}

func (e *IDError) Error() string {
	return fmt.Sprintf("session id %q: %s; use up to %d of A-Z a-z 0-9 . _ -, such as \"login-1\"", e.ID, e.Reason, maxID)
}

// NewID is a fresh id, a ULID: ids made later sort later.
func NewID(now time.Time) string {
	return ulid.MustNew(ulid.Timestamp(now), rand.Reader).String()
}

// CheckID tells whether id can name a session: one path element of
// A-Z a-z 0-9 . _ -, not starting with a dot, at most 100 bytes. It also has to
// stand in a ref's name, where git allows no "..", no ".lock" and no dot at the
// end. The error is an *IDError.
func CheckID(id string) error {
	reason := ""
	switch {
	case id == "":
		reason = "is empty"
	case len(id) > maxID:
		reason = fmt.Sprintf("is %d bytes long", len(id))
	case id[0] == '.':
		reason = "starts with a dot"
	case !idPattern.MatchString(id):
		reason = "holds a character that is not allowed"
	case strings.Contains(id, ".."), strings.HasSuffix(id, "."), strings.HasSuffix(id, ".lock"):
		reason = "cannot be part of a git ref"
	default:
		return nil
	}
	return &IDError{ID: clip(id, maxID), Reason: reason}
}

// clip bounds text that comes from outside before it enters a message.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}
