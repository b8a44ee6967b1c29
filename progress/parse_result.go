package progress

import (
	"regexp"
	"strings"
	"time"

	"github.com/taskpipeline/pipeline/window"
)

// headerLine is one line of the block at the top, such as "> Status: **DONE**".
var headerLine = regexp.MustCompile(`^(?:[-*+][ \t]+)?(?:\*\*)?([\p{L} ]+?)(?:\*\*)?[ \t]*[:：](?:\*\*)?[ \t]*(.*)$`)

// fieldLine begins a field of a handoff. It stands at the margin: what an agent
// wrote is always indented, and can never be taken for one.
var fieldLine = regexp.MustCompile(`^[-*+] +(?:\*\*)?(?i:(what|why|caution|incomplete))(?:\*\*)?:(?:\*\*)? ?(.*)$`)

// ParseResult reads a result.md. It always succeeds; Done is set only if the
// block above the first section holds one status and it is exactly DONE (or
// 완료, 完了), bold or not. An empty file, or one without a DONE status, does not
// make a TASK done.
//
// Section titles are read in English, Korean and Japanese; a handoff is read
// from the four fields, with or without bold, or, where a context holds free
// text, from that as What.
func ParseResult(file []byte) Result {
	p := resultParser{}
	text := strings.ReplaceAll(strings.TrimPrefix(string(file), "\ufeff"), "\r\n", "\n")
	for raw := range strings.SplitSeq(text, "\n") {
		p.line(raw)
	}
	p.endSection()
	p.r.Done = len(p.statuses) == 1 && isDone(p.statuses[0])
	return p.r
}

// resultParser reads one line at a time.
type resultParser struct {
	r        Result
	statuses []string
	section  section // what is being read; sectionHeader at first
	action   Action  // of the list of files being read
	body     []string
	field    *string // of a handoff: where body goes
	fence    string
	comment  bool
}

func (p *resultParser) line(raw string) {
	if p.field != nil && (raw == "" || strings.HasPrefix(raw, "  ")) {
		p.body = append(p.body, strings.TrimPrefix(raw, "  "))
		return
	}
	if p.fence != "" {
		p.body = append(p.body, raw)
		if closesFence(raw, p.fence) {
			p.fence = ""
		}
		return
	}
	raw, p.comment = withoutComments(raw, p.comment)
	if p.fence = opensFence(raw); p.fence != "" {
		p.body = append(p.body, raw)
		return
	}
	if level, title := (line{text: raw}).heading(); level > 0 {
		p.heading(level, title)
		return
	}
	if m := fieldLine.FindStringSubmatch(raw); m != nil && p.handoff() != nil {
		p.endSection()
		p.field = fieldOf(p.handoff(), strings.ToLower(m[1]))
		p.body = append(p.body, m[2])
		return
	}
	if p.section == sectionHeader {
		p.header(raw)
		return
	}
	p.body = append(p.body, raw)
}

func (p *resultParser) heading(level int, title string) {
	next, action := sectionOf(title)
	switch {
	case level == 1:
		if word, _, ok := strings.Cut(title, " "); ok && p.r.Task == "" {
			p.r.Task = unescapeComments(word)
		}
	case next != sectionOther, level == 2:
		p.endSection()
		p.section, p.action = next, ""
	case action != "" && p.section == sectionFiles:
		p.endSection()
		p.action = action
	default:
		p.body = append(p.body, strings.Repeat("#", level)+" "+title)
	}
}

func (p *resultParser) header(raw string) {
	m := headerLine.FindStringSubmatch(strings.TrimSpace(unquote(raw)))
	if m == nil {
		return
	}
	value := window.Clean(unescapeComments(m[2]))
	switch strings.ToLower(m[1]) {
	case "work":
		p.r.Work = value
	case "completed", "완료일", "완료", "完了":
		p.r.Completed, _ = time.Parse(timeForm, value)
	case "status", "상태", "ステータス", "状態":
		p.statuses = append(p.statuses, plain(value))
	case "spec":
		p.r.Spec = value
	}
}

func isDone(status string) bool {
	return status == "DONE" || status == "완료" || status == "完了"
}

// handoff is the one that is being read, nil outside of both.
func (p *resultParser) handoff() *window.Handoff {
	switch p.section {
	case sectionBuilder:
		return &p.r.Builder
	case sectionVerifier:
		return &p.r.Verifier
	}
	return nil
}

func fieldOf(h *window.Handoff, name string) *string {
	switch name {
	case "what":
		return &h.What
	case "why":
		return &h.Why
	case "caution":
		return &h.Caution
	}
	return &h.Incomplete
}

// endSection puts what was collected where it belongs. Of two texts for one
// place the first counts.
func (p *resultParser) endSection() {
	body := strings.Join(p.body, "\n")
	field := p.field
	p.body, p.field, p.fence = nil, nil, ""
	if field != nil {
		keep(field, window.Clean(unescapeComments(body)))
		return
	}
	text := window.Clean(unescapeText(body))
	if text == "" {
		return
	}
	switch p.section {
	case sectionBuilder, sectionVerifier:
		keep(&p.handoff().What, text)
	case sectionSummary:
		keep(&p.r.Summary, said(text))
	case sectionIssues:
		keep(&p.r.Issues, said(text))
	case sectionNotes:
		keep(&p.r.Notes, said(text))
	case sectionChecklist:
		for _, entry := range bullets(body) {
			p.r.Checklist = append(p.r.Checklist, itemOf(unescapeText(entry)))
		}
	case sectionVerification:
		for _, entry := range bullets(body) {
			p.r.Verification = append(p.r.Verification, unescapeText(entry))
		}
	case sectionFiles:
		p.files(body)
	}
}

func (p *resultParser) files(body string) {
	for _, entry := range bullets(body) {
		if c, ok := parseEntry(entry); ok {
			if c.Action == "" {
				c.Action = p.action
			}
			p.r.Files = append(p.r.Files, c)
		}
	}
}

func keep(place *string, text string) {
	if *place == "" {
		*place = text
	}
}

// said is a text, "" if it says that there is none.
func said(text string) string {
	if window.None(text) {
		return ""
	}
	return text
}

func bullets(body string) []string {
	var out []string
	for raw := range strings.SplitSeq(body, "\n") {
		if entry, ok := (line{text: strings.TrimSpace(raw)}).bullet(); ok {
			out = append(out, entry)
		}
	}
	return out
}
