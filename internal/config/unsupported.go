package config

import "reflect"

// pending are keys of the contract whose features this version does not have,
// each with the only value that it may have meanwhile. They are
// refused rather than ignored: who sets one relies on it. Building a feature
// means removing its row.
func pending() map[string]any {
	return map[string]any{
		"limits.task_file":     "1MiB",
		"limits.dispatch":      "4MiB",
		"limits.task_result":   "4MiB",
		"limits.handoff_field": "64KiB",
		"limits.xml_depth":     64,
		"limits.tasks":         100_000,
	}
}

// notYet is the problem with a key that is used and not built; shown is the
// value that was read.
func notYet(path string, v value, shown any) error {
	allowed, is := pending()[path]
	if !is || reflect.DeepEqual(allowed, shown) {
		return nil
	}
	return v.wrong("not supported by this version but for %v; take it out", allowed)
}
