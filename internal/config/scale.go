package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

func sizeUnits() map[string]int64 {
	return map[string]int64{"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
}

func countUnits() map[string]int64 {
	return map[string]int64{"": 1, "k": 1_000, "M": 1_000_000, "G": 1_000_000_000}
}

// scaled is a whole number with one of the units.
func (v value) scaled(units map[string]int64) (int64, error) {
	if _, ok := v.node.(*ast.IntegerNode); ok {
		n, err := v.integer()
		if err != nil || n < 0 {
			return 0, fmt.Errorf("%s is out of range", clip(v.node.GetToken().Value))
		}
		return n, nil
	}
	s, err := v.scalar()
	if err != nil {
		return 0, fmt.Errorf("is %s", describe(v.node))
	}
	end := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(s)
	}
	by, ok := units[strings.TrimSpace(s[end:])]
	n, err := strconv.ParseInt(s[:end], 10, 64)
	if !ok || err != nil || n > math.MaxInt64/by {
		return 0, fmt.Errorf("%q is not known", clip(s))
	}
	return n * by, nil
}
