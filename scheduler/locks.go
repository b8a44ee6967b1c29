package scheduler

import (
	"cmp"
	"slices"
)

// locks knows which TASK holds which named lock. A TASK takes all its locks
// together with its slot, so nobody ever waits while holding one.
//
// Of the TASKs that could start but for a lock, those that arrived while it
// was free stand in the ready queue; the rest are parked here, and a freed
// lock wakes one of them. So a lock shared by n TASKs costs O(n log n) in all.
type locks struct {
	holder map[string]int
	parked map[string][]parked
	inLine map[string][]int // queued TASKs that need the lock, in order of arrival
}

// parked is a TASK that waits for a lock.
type parked struct {
	begun bool
	at    int // position in the graph's order
}

func (p parked) compare(other parked) int {
	if p.begun != other.begun {
		if p.begun {
			return -1
		}
		return 1
	}
	return cmp.Compare(p.at, other.at)
}

// free reports whether nobody but the TASK at position i holds one of names,
// and names the first lock that somebody does.
func (l *locks) free(i int, names []string) (string, bool) {
	for _, name := range names {
		if at, ok := l.holder[name]; ok && at != i {
			return name, false
		}
	}
	return "", true
}

func (l *locks) take(i int, names []string) {
	if len(names) == 0 {
		return
	}
	if l.holder == nil {
		l.holder = map[string]int{}
	}
	for _, name := range names {
		l.holder[name] = i
	}
}

// park puts a TASK in line for a lock: those that have begun go before the others.
func (l *locks) park(i int, begun bool, name string) {
	if l.parked == nil {
		l.parked = map[string][]parked{}
	}
	list := l.parked[name]
	p := parked{begun, i}
	at, found := slices.BinarySearchFunc(list, p, parked.compare)
	if !found {
		l.parked[name] = slices.Insert(list, at, p)
	}
}

// next takes the first TASK out of those parked for a lock.
func (l *locks) next(name string) (int, bool) {
	list := l.parked[name]
	if len(list) == 0 {
		return 0, false
	}
	l.parked[name] = list[1:]
	return list[0].at, true
}

func (l *locks) line(i int, names []string) {
	if len(names) == 0 {
		return
	}
	if l.inLine == nil {
		l.inLine = map[string][]int{}
	}
	for _, name := range names {
		l.inLine[name] = append(l.inLine[name], i)
	}
}

// release frees the locks that the TASK at position i holds and returns them.
func (l *locks) release(i int, names []string) []string {
	var freed []string
	for _, name := range names {
		if at, ok := l.holder[name]; ok && at == i {
			delete(l.holder, name)
			freed = append(freed, name)
		}
	}
	return freed
}
