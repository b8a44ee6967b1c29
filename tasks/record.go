package tasks

import "strings"

// ProgressFile is the name of the TASK's progress.md in the tasks folder:
// "TASK-03_progress.md".
func (id ID) ProgressFile() string { return string(id) + "_progress.md" }

// ResultFile is the name of the TASK's result.md in the tasks folder:
// "TASK-03_result.md".
func (id ID) ResultFile() string { return string(id) + "_result.md" }

// ResultOf tells whose result.md a file of a tasks folder is by its name, a
// prefix and a dash, as older projects have them, included.
func ResultOf(name string) (ID, bool) { return recordOf(name, "result.md") }

// ProgressOf is ResultOf for progress.md.
func ProgressOf(name string) (ID, bool) { return recordOf(name, "progress.md") }

func recordOf(name, ending string) (ID, bool) {
	stem, ok := strings.CutSuffix(name, ending)
	if !ok || stem == "" || !strings.ContainsAny(stem[len(stem)-1:], "_-") {
		return "", false
	}
	return ParseID(stem[:len(stem)-1])
}

// FileOf tells whose TASK file a file of a tasks folder is by its name.
func FileOf(name string) (ID, bool) {
	n, ok, _ := parseName(name)
	return n.id, ok
}
