package config

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// key is one setting of a T: how it is read into it, and how it is shown.
type key[T any] struct {
	path string
	read func(*T, value) error
	show func(*T) any // a string, number, bool, list or map, as JSON and YAML have them
}

const (
	required = true  // an empty text, or a duration of zero, is an error
	optional = false // it means: none
)

func text[T any](path string, at func(*T) *string, needed bool) key[T] {
	return key[T]{path, func(t *T, v value) error {
		s, err := v.str()
		if err == nil && needed && s == "" {
			err = v.wrong("is empty")
		}
		if err == nil {
			*at(t) = s
		}
		return err
	}, func(t *T) any { return *at(t) }}
}

func choice[T any, S ~string](path string, at func(*T) *S, among ...S) key[T] {
	return key[T]{path, func(t *T, v value) error {
		s, err := v.str()
		if err == nil && !slices.Contains(among, S(s)) {
			names := make([]string, len(among))
			for i, a := range among {
				names[i] = string(a)
			}
			err = v.wrong("%q is not known; write %s", clip(s), strings.Join(names, " or "))
		}
		if err == nil {
			*at(t) = S(s)
		}
		return err
	}, func(t *T) any { return string(*at(t)) }}
}

func number[T any](path string, at func(*T) *int, least, most int) key[T] {
	return key[T]{path, func(t *T, v value) error {
		n, err := v.integer()
		switch {
		case err != nil:
		case least == most && n != int64(least):
			err = v.wrong("%d is not known; write %d", n, least)
		case n < int64(least) || n > int64(most):
			err = v.wrong("%d is out of range; write a number from %d to %d", n, least, most)
		default:
			*at(t) = int(n)
		}
		return err
	}, func(t *T) any { return *at(t) }}
}

func truth[T any](path string, at func(*T) *bool) key[T] {
	return key[T]{path, func(t *T, v value) error {
		b, err := v.boolean()
		if err == nil {
			*at(t) = b
		}
		return err
	}, func(t *T) any { return *at(t) }}
}

func duration[T any](path string, at func(*T) *time.Duration, needed bool) key[T] {
	return key[T]{path, func(t *T, v value) error {
		s, err := v.scalar()
		if err != nil {
			return err
		}
		d, err := time.ParseDuration(s)
		switch {
		case err != nil:
			return v.wrong("%q is not a duration; write a number with its unit, such as 90s, 30m or 2h", clip(s))
		case d < 0, d == 0 && needed:
			return v.wrong("%s is not more than zero", s)
		}
		*at(t) = d
		return nil
	}, func(t *T) any { return formatDuration(*at(t)) }}
}

func size[T any](path string, at func(*T) *int64) key[T] {
	return key[T]{path, func(t *T, v value) error {
		n, err := v.scaled(sizeUnits())
		if err != nil {
			return v.wrong("%w; write bytes, or a size such as 64KiB, 4MiB, 1GiB", err)
		}
		if n < 1 {
			return v.wrong("a limit of %d bytes lets nothing through", n)
		}
		*at(t) = n
		return nil
	}, func(t *T) any { return formatSize(*at(t)) }}
}

func count[T any](path string, at func(*T) *int64) key[T] {
	return key[T]{path, func(t *T, v value) error {
		n, err := v.scaled(countUnits())
		if err != nil {
			return v.wrong("%w; write a number such as 500000, 500k or 2M", err)
		}
		*at(t) = n
		return nil
	}, func(t *T) any { return *at(t) }}
}

func amount[T any](path string, at func(*T) *float64) key[T] {
	return key[T]{path, func(t *T, v value) error {
		f, err := v.float()
		if err == nil && (f < 0 || math.IsInf(f, 0) || math.IsNaN(f)) {
			err = v.wrong("%v is not an amount", f)
		}
		if err == nil {
			*at(t) = f
		}
		return err
	}, func(t *T) any { return *at(t) }}
}

func list[T any](path string, at func(*T) *[]string) key[T] {
	return key[T]{path, func(t *T, v value) error {
		l, err := v.strings()
		if err == nil {
			*at(t) = l
		}
		return err
	}, func(t *T) any { return append([]string{}, *at(t)...) }}
}

// clip bounds text of the user's that is quoted in a message.
func clip(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// formatDuration leaves out the zero units that time.Duration prints.
func formatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-2]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-2]
	}
	return s
}

func formatSize(n int64) string {
	for _, unit := range []string{"GiB", "MiB", "KiB"} {
		if by := sizeUnits()[unit]; n%by == 0 {
			return fmt.Sprintf("%d%s", n/by, unit)
		}
	}
	return fmt.Sprint(n)
}
