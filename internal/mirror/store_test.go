package mirror

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/taskpipeline/pipeline/internal/session"
	"github.com/taskpipeline/pipeline/scheduler"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var start = time.Date(2026, 3, 12, 10, 35, 0, 123456789, time.UTC)

// mirrored is a store with its mirror.
type mirrored struct {
	testing.TB
	store session.Store
}

func newMirrored(t testing.TB) *mirrored { return &mirrored{t, session.At(t.TempDir())} }

func (p *mirrored) mirror() Mirror { return Of(p.store) }

// session makes a session without a record.
func (p *mirrored) session(id string) *session.Session {
	p.Helper()
	s, err := p.store.Create(id, start)
	require.NoError(p, err)
	return s
}

// record adds events to a session's record; it numbers and dates them.
func (p *mirrored) record(s *session.Session, events ...scheduler.Event) {
	p.Helper()
	j, past, err := s.Journal()
	require.NoError(p, err)
	for i := range events {
		e := events[i]
		e.V, e.Seq = scheduler.Version, int64(len(past)+i+1)
		e.Time = start.Add(time.Duration(e.Seq) * time.Second)
		require.NoError(p, j.Append(&e))
	}
	require.NoError(p, j.Close())
}

// file writes a file of a session.
func (p *mirrored) file(s *session.Session, name, text string) {
	p.Helper()
	path := filepath.Join(s.Dir, filepath.FromSlash(name))
	require.NoError(p, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(p, os.WriteFile(path, []byte(text), 0o644))
}

// read is the text of a file of a session, "" if there is none.
func (p *mirrored) read(s *session.Session, name string) string {
	p.Helper()
	text, err := os.ReadFile(filepath.Join(s.Dir, filepath.FromSlash(name)))
	if !os.IsNotExist(err) {
		require.NoError(p, err)
	}
	return string(text)
}

func (p *mirrored) update() Report {
	p.Helper()
	r, err := p.mirror().Update(context.Background())
	require.NoError(p, err)
	return r
}

func (p *mirrored) rebuild() Report {
	p.Helper()
	r, err := p.mirror().Rebuild(context.Background())
	require.NoError(p, err)
	return r
}

func (p *mirrored) dump() string {
	p.Helper()
	var out strings.Builder
	require.NoError(p, p.mirror().Dump(context.Background(), &out))
	return out.String()
}

// tables is the dump but for one or more tables.
func (p *mirrored) tables(names ...string) string {
	p.Helper()
	var out strings.Builder
	for line := range strings.Lines(p.dump()) {
		for _, name := range names {
			if strings.HasPrefix(line, "INSERT INTO "+name+" ") {
				out.WriteString(line)
			}
		}
	}
	return out.String()
}

// ask is the answer to a query, a line per row.
func (p *mirrored) ask(statement string) []string {
	p.Helper()
	a, err := p.mirror().Query(context.Background(), statement)
	require.NoError(p, err)
	defer a.Close()
	lines := []string{}
	for row, err := range a.Rows(context.Background()) {
		require.NoError(p, err)
		var cells []string
		for _, v := range row {
			b, err := json.Marshal(v)
			require.NoError(p, err)
			cells = append(cells, string(b))
		}
		lines = append(lines, strings.Join(cells, " "))
	}
	return lines
}
