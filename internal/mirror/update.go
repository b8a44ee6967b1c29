package mirror

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"slices"

	"github.com/taskpipeline/pipeline/internal/crash"
	"github.com/taskpipeline/pipeline/internal/session"
)

// Report is what Update or Rebuild did.
type Report struct {
	Sessions int       // that there are
	Events   int       // that were folded
	Replaced string    // why the file that was there was replaced; "" if it was not, or there was none
	Problems []Problem // sessions of which not all could be told
}

// Problem is what is missing of a session.
type Problem struct{ Session, Text string }

// Update brings the mirror up to date with the sessions' files. One that is not
// there, or is not a mirror of this version, is made anew.
func (m Mirror) Update(ctx context.Context) (Report, error) {
	defer crash.Around("mirror update")()
	r, err := m.update(ctx)
	var strange *StrangeError
	switch {
	case gone(err):
		return m.Rebuild(ctx)
	case errors.As(err, &strange):
		r, err = m.Rebuild(ctx)
		r.Replaced = strange.Why
	}
	return r, err
}

func (m Mirror) update(ctx context.Context) (r Report, err error) {
	release, err := m.hold(ctx, false)
	if err != nil {
		return r, err
	}
	defer release()
	for _, suffix := range suffixes {
		_ = os.Remove(m.unfinished() + suffix) // of a rebuild that was killed; nobody else can be at one
	}
	db, err := m.open(ctx, "_busy_timeout=10000", "_txlock=immediate", "_journal_mode=WAL", "_synchronous=NORMAL")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err = m.foldAll(ctx, db, &r); err != nil && ctx.Err() == nil {
		err = strange(err)
	}
	return r, err
}

// foldAll folds what each session has that the database has not.
func (m Mirror) foldAll(ctx context.Context, db *sql.DB, r *Report) error {
	ids, err := m.store.IDs()
	if err != nil {
		return err
	}
	r.Sessions = len(ids)
	for _, id := range ids {
		s, err := m.store.Open(id)
		if none := (*session.NotFoundError)(nil); errors.As(err, &none) {
			continue // it was removed just now; the next update forgets it
		}
		if err != nil {
			return err
		}
		if err := within(ctx, db, func(w *writer) bool { return foldOne(w, s, r) }); err != nil {
			return err
		}
	}
	return forgetOthers(ctx, db, ids)
}

// within runs a transaction. Unless something was written it leaves no trace.
func within(ctx context.Context, db *sql.DB, do func(*writer) (wrote bool)) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	w := newWriter(ctx, tx)
	if !do(w) && w.err == nil {
		return tx.Rollback()
	}
	defer crash.Around("mirror commit")()
	if w.err == nil {
		w.err = crash.Full("mirror commit")
	}
	return w.commit()
}

// foldOne brings one session up to date.
func foldOne(w *writer, s *session.Session, r *Report) (wrote bool) {
	f := newFold(w, s.ID)
	if f.session.seq == 0 || f.session.problem != "" || !f.stillThere(s) {
		w.forget(s.ID)
		f = newFold(w, s.ID)
		f.changed = true
	}
	before := f.session.seq
	f.follow(s)
	r.Events += int(f.session.seq - before)
	if f.session.problem != "" {
		r.Problems = append(r.Problems, Problem{s.ID, string(f.session.problem)})
	}
	return f.changed
}

// stillThere reports whether the record only grew since it was folded.
func (f *fold) stillThere(s *session.Session) bool {
	var last str
	f.w.each(func(scan func(...any)) { scan(&last) }, "SELECT json FROM events WHERE session = ? AND seq = ?", s.ID, f.session.seq)
	return s.Holds(f.position(), []byte(last))
}

// follow folds the rest of the record, and where it does not hold, what other
// files tell.
func (f *fold) follow(s *session.Session) {
	var broken error
	for line, err := range s.After(f.position()) {
		if err != nil {
			broken = err
			break
		}
		f.apply(&line)
		if f.w.err != nil {
			return
		}
	}
	f.session.problem = f.missing(s, broken)
	if f.changed {
		f.write()
	}
}

// forgetOthers removes sessions whose folders are gone.
func forgetOthers(ctx context.Context, db *sql.DB, ids []string) error {
	return within(ctx, db, func(w *writer) bool {
		var there []string
		w.each(func(scan func(...any)) {
			var id string
			scan(&id)
			there = append(there, id)
		}, "SELECT session FROM sessions")
		removed := false
		for _, id := range there {
			if _, found := slices.BinarySearch(ids, id); !found {
				w.forget(id)
				removed = true
			}
		}
		return removed
	})
}
