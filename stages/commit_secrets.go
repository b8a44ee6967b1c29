package stages

import (
	"fmt"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/progress"
)

// refuseSecrets looks for secrets in what the TASK has changed, and refuses to
// commit them. It reads nothing if there are no secrets.
func refuseSecrets(in CommitInput, progressMD string) (*dispatch.Result, error) {
	if in.Mask == nil {
		return nil, nil
	}
	if name := in.Mask.In([]byte(progressMD)); name != "" {
		return secretFound(in, "progress.md", name), nil
	}
	for _, c := range in.Snapshot.Changes {
		if c.Action == progress.Delete {
			continue
		}
		content, err := in.Objects.File(in.Snapshot.Tree, c.Path)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", progress.Printed(c.Path), err)
		}
		if name := in.Mask.In(content); name != "" {
			return secretFound(in, progress.Printed(c.Path), name), nil
		}
	}
	return nil, nil
}

func secretFound(in CommitInput, path, name string) *dispatch.Result {
	r := refuse(in, fmt.Sprintf("secret in %s: the value of %s", path, name), []string{path}, "read it from the environment where it is needed, and write it into no file")
	r.Failures[0].Check = "secrets"
	return r
}
