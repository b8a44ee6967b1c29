package config

import "reflect"

// pending are keys of the contract whose features this version does not have,
// each with the only value that it may have meanwhile (nil for none). They are
// refused rather than ignored: who sets one relies on it. Building a feature
// means removing its row.
func pending() map[string]any {
	return map[string]any{
		"quality":              []string{},
		"budget.usd":           float64(0),
		"budget.tokens":        int64(0),
		"limits.task_file":     "1MiB",
		"limits.dispatch":      "4MiB",
		"limits.task_result":   "4MiB",
		"limits.handoff_field": "64KiB",
		"limits.xml_depth":     64,
		"limits.tasks":         100_000,
		"executors.*.agent":    nil,
		"executors.*.model":    nil,
		"executors.*.reply":    string(XML),
		"executors.*.retries":  nil,
		"executors.*.gates":    []string{},
		"executors.*.fresh":    false,
		"executors.*.fallback": []string{},
		"executors.*.sandbox":  nil,
	}
}

// notYet is the problem with a key that is used and not built; shown is the
// value that was read.
func notYet(path string, v value, shown any) error {
	allowed, is := pending()[path]
	if !is || reflect.DeepEqual(allowed, shown) {
		return nil
	}
	if reflect.DeepEqual(allowed, []string{}) || allowed == nil || reflect.ValueOf(allowed).IsZero() {
		return v.wrong("not supported by this version; take it out")
	}
	return v.wrong("not supported by this version but for %v; take it out", allowed)
}
