package mirror

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/taskpipeline/pipeline/internal/session"
)

// restored counts what an agent's files gave back.
type restored struct{ sends, envelopes, unheard int }

func (r *restored) add(more restored) {
	r.sends += more.sends
	r.envelopes += more.envelopes
	r.unheard += more.unheard
}

// restore takes from agents' own files what a lost record does not tell, and
// leaves alone what it does. It says what there was.
func (f *fold) restore(s *session.Session) (restored, error) {
	var all restored
	agents, err := s.AgentFolders()
	if err != nil {
		return all, err
	}
	for _, agent := range agents {
		a := agentFiles{f: f, s: s, name: agent}
		if err := errors.Join(a.output(), a.prompts(), a.envelope()); err != nil {
			return all, err
		}
		all.add(a.found)
	}
	return all, f.w.err
}

// agentFiles are the files of one agent's folder.
type agentFiles struct {
	f     *fold
	s     *session.Session
	name  string
	at    where // of the last send that was read
	found restored
}

// The lines of ours in raw_output.jsonl.
const (
	linePrefix = `{"type":"pipeline_`
	lineSend   = "pipeline_send"
	lineReply  = "pipeline_reply"
)

// output reads raw_output.jsonl.
func (a *agentFiles) output() error {
	file, err := a.s.OpenFile(path.Join(a.name, session.OutputFile))
	if err != nil {
		return nil // what it would have told is missing, and is counted
	}
	defer file.Close()
	in := bufio.NewReaderSize(file, 256<<10)
	for {
		line, err := ourLine(in)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		a.line(line)
	}
}

// ourLine is the next line if it may be one of ours, else nil: what an agent
// prints is skipped, whatever its length.
func ourLine(in *bufio.Reader) ([]byte, error) {
	head, err := in.Peek(len(linePrefix))
	if err != nil && len(head) == 0 {
		return nil, err
	}
	ours := bytes.Equal(head, []byte(linePrefix))
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if ours = ours && len(line)+len(part) <= session.MaxLine; ours {
			line = append(line, part...)
		} else {
			line = nil
		}
		switch {
		case err == nil, err == io.EOF:
			return line, nil
		case err != bufio.ErrBufferFull:
			return nil, err
		}
	}
}

func (a *agentFiles) line(line []byte) {
	var head struct {
		Type string `json:"type"`
	}
	if line == nil || json.Unmarshal(line, &head) != nil {
		return
	}
	switch id := a.f.session.session; head.Type {
	case lineSend:
		var s sent
		_ = json.Unmarshal(line, &s) // what is of another type says nothing
		a.at = s.where
		if a.f.w.add("sends", s.values(id, a.name)...) {
			a.found.sends++
		}
	case lineReply:
		var r replied
		_ = json.Unmarshal(line, &r)
		a.f.w.answered(id, a.name, &r)
		if r.Fault != "" {
			return
		}
		if a.f.w.add("envelopes", r.values(id, a.name, a.at)...) {
			a.found.envelopes++
			a.f.w.gates(id, a.name, &r)
		}
	}
}

// prompts finds sends that left no line: what was sent is still there.
func (a *agentFiles) prompts() error {
	names, err := a.s.Prompts(a.name)
	if err != nil {
		return nil // an agent has put something in its place
	}
	for _, name := range names {
		number, ok := strings.CutSuffix(name, "-user.md")
		n, err := strconv.ParseInt(number, 10, 64)
		if !ok || err != nil {
			continue
		}
		s := sent{where: a.step(), Send: n, Prompt: str(path.Join(session.PromptFolder, name))}
		if a.f.w.add("sends", s.values(a.f.session.session, a.name)...) {
			a.found.sends++
			a.found.unheard++
		}
	}
	return nil
}

// step is what an agent's name tells of its step.
func (a *agentFiles) step() where {
	at := strings.LastIndexByte(a.name, '-')
	if at < 0 {
		return where{}
	}
	return where{Task: str(a.name[:at]), Stage: str(a.name[at+1:])}
}

// envelope reads envelope.json: the last valid reply, where raw output does not
// tell of it.
func (a *agentFiles) envelope() error {
	file, err := a.s.OpenFile(path.Join(a.name, session.EnvelopeFile))
	if err != nil {
		return nil // it has none
	}
	defer file.Close()
	raw, err := io.ReadAll(io.LimitReader(file, session.MaxLine))
	if err != nil {
		return err
	}
	known := false
	text := canonical(raw)
	a.f.w.each(func(func(...any)) { known = true },
		"SELECT 1 FROM envelopes WHERE session = ? AND agent = ? AND valid AND envelope = ?", a.s.ID, a.name, string(text))
	if text == "" || known {
		return nil
	}
	r := replied{Valid: true, Envelope: json.RawMessage(text)}
	if a.f.w.add("envelopes", r.values(a.f.session.session, a.name, a.step())...) {
		a.found.envelopes++
	}
	return nil
}
