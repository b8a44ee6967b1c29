package gitrepo

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

// Landed is a commit of a branch that brought TASKs there.
type Landed struct {
	Commit   stages.Hash
	Parents  []stages.Hash
	Subject  string
	Tasks    []tasks.ID  // one; several where commits were squashed into one
	Sessions []string    // in which they were built
	Undone   stages.Hash // the commit that took it back; "" while it holds
}

// Of tells whether the commit brought a TASK.
func (l *Landed) Of(id tasks.ID) bool { return slices.Contains(l.Tasks, id) }

// In tells whether the commit was built in a session.
func (l *Landed) In(session string) bool { return slices.Contains(l.Sessions, session) }

// Names are its TASKs as a text names them.
func (l *Landed) Names() string {
	names := make([]string, len(l.Tasks))
	for i, id := range l.Tasks {
		names[i] = string(id)
	}
	return strings.Join(names, ", ")
}

var (
	trailerTask    = regexp.MustCompile(`(?m)^[ \t]*Pipeline-Task: (\S+)$`)
	trailerSession = regexp.MustCompile(`(?m)^[ \t]*Pipeline-Session: (\S+)$`)
	trailerUndo    = regexp.MustCompile(`(?m)^[ \t]*Pipeline-Undo: (\S+)$`)
	reverts        = regexp.MustCompile(`(?m)^This reverts commit ([0-9a-f]{40})\b`)
)

// Landed lists the commits of a branch that brought TASKs of a tasks folder (its
// path in the repository, "" for the root), the first landed first. What a
// message says counts only where the commit changes result.md of that TASK in
// that folder, so commits that were squashed, rebased or picked are found and
// those of other folders are not. A commit that was taken back, by an undo or by
// `git revert`, says by which one.
func (r *Reader) Landed(ctx context.Context, tip stages.Hash, folder string) ([]Landed, error) {
	out, err := r.git.run(ctx, "log", "-z", "--reverse", "--topo-order", "--no-show-signature", "--format=%H %P%n%B",
		"-E", "--grep=^[[:space:]]*Pipeline-(Task|Undo): ", "--grep=^This reverts commit ", string(tip), "--")
	if err != nil {
		return nil, err
	}
	h := history{objects: r.objects, folder: folder, deeds: map[stages.Hash]deed{}}
	for item := range strings.SplitSeq(string(out), "\x00") {
		if item == "" {
			continue
		}
		if err := h.read(item); err != nil {
			return nil, err
		}
	}
	return h.landed, nil
}

// history is what the commits so far have done.
type history struct {
	objects *objects
	folder  string
	landed  []Landed
	deeds   map[stages.Hash]deed
}

// deed is what a commit did to a landed one: it brought it, or took it back.
type deed struct {
	landed int // which one
	undoes bool
}

// read takes in one commit, as `git log` printed it.
func (h *history) read(item string) error {
	head, message, _ := strings.Cut(item, "\n")
	hashes := strings.Fields(head)
	if len(hashes) == 0 {
		return fmt.Errorf("git log printed a commit without a hash: %.100q", item)
	}
	commit := stages.Hash(hashes[0])
	var parents []stages.Hash
	for _, p := range hashes[1:] {
		parents = append(parents, stages.Hash(p))
	}
	if err := h.takeBack(commit, parents, message); err != nil {
		return err
	}
	brought, err := h.changed(commit, parents, named(trailerTask, message))
	if err != nil || len(brought) == 0 {
		return err
	}
	subject, _, _ := strings.Cut(message, "\n")
	h.deeds[commit] = deed{landed: len(h.landed)}
	h.landed = append(h.landed, Landed{Commit: commit, Parents: parents, Subject: subject, Tasks: brought, Sessions: named(trailerSession, message)})
	return nil
}

// takeBack notes what a commit reverts: those that it names, and, where one was
// rebased since, the last of the TASK that it says. It may be several, squashed.
func (h *history) takeBack(commit stages.Hash, parents []stages.Hash, message string) error {
	var told []int // landings that it names
	if !trailerTask.MatchString(message) {
		for _, m := range reverts.FindAllStringSubmatch(message, -1) {
			d, ok := h.deeds[stages.Hash(m[1])]
			if !ok {
				continue
			}
			// A part of it taken back leaves the TASK done: its result.md stays.
			of, err := h.changed(commit, parents, h.landed[d.landed].ids())
			if err != nil {
				return err
			}
			if len(of) > 0 {
				h.set(commit, deed{landed: d.landed, undoes: !d.undoes})
				told = append(told, d.landed)
			}
		}
	}
	undone, err := h.changed(commit, parents, named(trailerUndo, message))
	if err != nil {
		return err
	}
	for _, id := range undone {
		if slices.ContainsFunc(told, func(i int) bool { return h.landed[i].Of(id) }) ||
			slices.ContainsFunc(h.landed, func(l Landed) bool { return l.Undone == commit && l.Of(id) }) {
			continue
		}
		for i, l := range slices.Backward(h.landed) {
			if l.Undone == "" && l.Of(id) {
				h.set(commit, deed{landed: i, undoes: true})
				break
			}
		}
	}
	return nil
}

// ids are the TASKs of a landing as its trailers name them.
func (l *Landed) ids() []string {
	out := make([]string, len(l.Tasks))
	for i, id := range l.Tasks {
		out[i] = string(id)
	}
	return out
}

func (h *history) set(commit stages.Hash, d deed) {
	h.deeds[commit] = d
	h.landed[d.landed].Undone = ""
	if d.undoes {
		h.landed[d.landed].Undone = commit
	}
}

// changed are the TASKs among those named whose result.md a commit changes.
func (h *history) changed(commit stages.Hash, parents []stages.Hash, names []string) ([]tasks.ID, error) {
	var out []tasks.ID
	for _, name := range names {
		id, ok := tasks.ParseID(name)
		if !ok || slices.Contains(out, id) {
			continue
		}
		path := id.ResultFile()
		if h.folder != "" {
			path = h.folder + "/" + path
		}
		now, err := h.at(commit, path)
		if err != nil {
			return nil, err
		}
		var before leaf
		if len(parents) > 0 {
			if before, err = h.at(parents[0], path); err != nil {
				return nil, err
			}
		}
		if now != before {
			out = append(out, id)
		}
	}
	return out, nil
}

// at is what a path holds in a commit; nothing, where a shallow clone ends.
func (h *history) at(commit stages.Hash, path string) (leaf, error) {
	c, err := h.objects.commit(plumbing.NewHash(string(commit)))
	if err != nil {
		return leaf{}, err
	}
	return h.objects.lookup(c.TreeHash, path)
}

// named are the values of a trailer, each once, anywhere in a message: a squash
// puts several messages into one.
func named(trailer *regexp.Regexp, message string) []string {
	var out []string
	for _, m := range trailer.FindAllStringSubmatch(message, -1) {
		if !slices.Contains(out, m[1]) {
			out = append(out, m[1])
		}
	}
	return out
}
