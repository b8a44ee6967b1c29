package config

import (
	"slices"
	"time"
)

// maxChecks bounds `quality:`.
const maxChecks = 50

// checks is a list of mappings: name, argv, timeout.
func checks[T any](path string, at func(*T) *[]Check) key[T] {
	return key[T]{path, func(t *T, v value) error {
		items, err := v.items()
		if err != nil {
			return err
		}
		if len(items) > maxChecks {
			return v.wrong("holds %d checks, at most %d are run", len(items), maxChecks)
		}
		var all []Check
		for _, item := range items {
			c, err := readCheck(item)
			if err != nil {
				return err
			}
			if slices.ContainsFunc(all, func(other Check) bool { return other.Name == c.Name }) {
				return item.wrong("two checks are called %q", clip(c.Name))
			}
			all = append(all, c)
		}
		*at(t) = all
		return nil
	}, func(t *T) any {
		shown := []any{}
		for _, c := range *at(t) {
			m := map[string]any{"name": c.Name, "argv": c.Argv}
			if c.Timeout > 0 {
				m["timeout"] = formatDuration(c.Timeout)
			}
			shown = append(shown, m)
		}
		return shown
	}}
}

func checkKeys() []key[Check] {
	return []key[Check]{
		text("name", func(c *Check) *string { return &c.Name }, required),
		list("argv", func(c *Check) *[]string { return &c.Argv }),
		duration("timeout", func(c *Check) *time.Duration { return &c.Timeout }, required),
	}
}

func readCheck(v value) (Check, error) {
	var c Check
	pairs, err := v.pairs()
	if err != nil {
		return c, err
	}
	var known []string
	for _, k := range checkKeys() {
		known = append(known, k.path)
	}
	for _, p := range pairs {
		i := slices.Index(known, p.name)
		if i < 0 {
			return c, &Problem{At: p.at, Message: unknown(p.name, known)}
		}
		if err := checkKeys()[i].read(&c, p.value); err != nil {
			return c, err
		}
	}
	switch {
	case c.Name == "":
		return c, v.wrong("has no name; write {name: tests, argv: [make, test]}")
	case len(c.Argv) == 0:
		return c, v.wrong("check %q has no argv; write argv: [make, test]", clip(c.Name))
	}
	return c, nil
}
