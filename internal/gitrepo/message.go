package gitrepo

import (
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/taskpipeline/pipeline/stages"
)

// Message is the message of a commit, trailers and all.
func (r *Reader) Message(commit stages.Hash) (string, error) {
	raw, err := r.objects.content(plumbing.CommitObject, plumbing.NewHash(string(commit)))
	if err != nil {
		return "", err
	}
	_, message, _ := strings.Cut(string(raw), "\n\n")
	return message, nil
}
