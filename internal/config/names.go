package config

import (
	"fmt"
	"regexp"
	"strings"
)

var executorName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$`)

func paths() []string {
	all := make([]string, 0, len(keys()))
	for _, k := range keys() {
		all = append(all, k.path)
	}
	return all
}

func executorPaths() []string {
	all := make([]string, 0, len(executorKeys()))
	for _, k := range executorKeys() {
		all = append(all, k.path)
	}
	return all
}

// group tells whether a key has keys below it.
func group(path string) bool {
	for _, p := range paths() {
		if strings.HasPrefix(p, path+".") {
			return true
		}
	}
	return false
}

// unknown says that there is no such name, and which was probably meant.
func unknown(name string, known []string) string {
	best, least := "", 3
	for _, k := range known {
		if d := distance(name, k, least); d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return fmt.Sprintf("%q is not known; `pipeline config show` lists what is", clip(name))
	}
	return fmt.Sprintf("%q is not known; did you mean %s?", clip(name), best)
}

// distance is the number of letters to change between a and b, or limit if it
// is not below that.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := corner
			if a[i] != b[j] {
				change++
			}
			corner = row[j+1]
			row[j+1] = min(change, corner+1, row[j]+1)
		}
	}
	return min(row[len(b)], limit)
}
