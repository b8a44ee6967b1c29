package tasks

import "regexp"

var (
	namePattern = regexp.MustCompile(`^(?:(.+?)-)??TASK-([0-9]+)(?:-(.+))?\.md$`)
	nearPattern = regexp.MustCompile(`(?i)^(?:.+[-_ ])?TASK[-_ ]?[0-9]+[a-z]?(?:[-_ .].*)?\.(?:md|markdown)$`)
	// reportPattern is what a stage, or a person, writes about a TASK.
	reportPattern = regexp.MustCompile(`(?i)[-_](?:result|progress|verification|report|수행결과|결과)\.(?:md|markdown)$`)
)

// fileName is a TASK file's name taken apart.
type fileName struct {
	id           ID
	prefix, slug string
}

// parseName reads the name of a TASK file. When it is none but looks like one,
// near says why it is not.
func parseName(name string) (n fileName, ok bool, near string) {
	if reportPattern.MatchString(name) {
		return fileName{}, false, ""
	}
	m := namePattern.FindStringSubmatch(name)
	if m == nil {
		if nearPattern.MatchString(name) {
			near = "looks like a TASK but is not read: the name must be [PREFIX-]TASK-<number>[-slug].md in this letter case; rename it"
		}
		return fileName{}, false, near
	}
	id, ok := canonical(m[2])
	if !ok {
		return fileName{}, false, "is not read: the number of a TASK has at most 18 digits; rename it"
	}
	return fileName{id: id, prefix: m[1], slug: m[3]}, true, ""
}
