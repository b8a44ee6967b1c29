package gitrepo

import "fmt"

// Refusal is a repository that nothing can be built in as it stands. Nothing
// was changed; What says what is in the way, Next what to type.
type Refusal struct {
	What string
	Next string
}

func (r *Refusal) Error() string {
	if r.Next == "" {
		return r.What
	}
	return r.What + "; " + r.Next
}

func refuse(next, format string, a ...any) *Refusal {
	return &Refusal{What: fmt.Sprintf(format, a...), Next: next}
}
