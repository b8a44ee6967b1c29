package scheduler

import "slices"

// locks knows which TASK holds which named lock. A TASK takes all its locks
// together with its slot, so nobody ever waits while holding one.
//
// Of the TASKs that could start but for a lock, those that arrived while it
// was free stand in the ready queue; the rest are parked here, and a freed
// lock wakes one of them. So a lock shared by n TASKs costs O(n log n) in all.
type locks struct {
	holder map[string]int
	parked map[string][]int // ascending positions
	inLine map[string][]int // queued TASKs that need the lock, in order of arrival
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

func (l *locks) park(i int, name string) {
	if l.parked == nil {
		l.parked = map[string][]int{}
	}
	list := l.parked[name]
	at, found := slices.BinarySearch(list, i)
	if !found {
		l.parked[name] = slices.Insert(list, at, i)
	}
}

// next takes the first TASK out of those parked for a lock.
func (l *locks) next(name string) (int, bool) {
	list := l.parked[name]
	if len(list) == 0 {
		return 0, false
	}
	l.parked[name] = list[1:]
	return list[0], true
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
