//go:build crashpoints

package crash

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
)

// passing is one passing of a point, counted from 1. The zero value is none.
type passing struct {
	name string
	pass int
}

// watch counts the points that are passed.
type watch struct {
	killAt, failAt passing

	mu     sync.Mutex
	passed map[string]int
	list   *os.File // nil: nobody wants to know
}

// watched is the one watch of the process. It is global because a kill is, and
// because the code under test shall pass points through no signature.
var watched = sync.OnceValue(newWatch)

func newWatch() *watch {
	w := &watch{
		killAt: parse(os.Getenv("PIPELINE_CRASH_AT")),
		failAt: parse(os.Getenv("PIPELINE_CRASH_FAIL")),
		passed: map[string]int{},
	}
	if file := os.Getenv("PIPELINE_CRASH_LIST"); file != "" {
		list, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			panic(err)
		}
		w.list = list
	}
	return w
}

// parse reads "name:n". What is not of this form would make a test that tests
// nothing.
func parse(s string) passing {
	if s == "" {
		return passing{}
	}
	name, count, _ := strings.Cut(s, ":")
	n, err := strconv.Atoi(count)
	if err != nil || n < 1 || name == "" {
		panic(fmt.Sprintf("crash: %q is not of the form point:n", s))
	}
	return passing{name, n}
}

// pass counts a passing and returns which one it is.
func (w *watch) pass(name string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.passed[name]++
	if w.list != nil {
		fmt.Fprintln(w.list, name)
	}
	return w.passed[name]
}
