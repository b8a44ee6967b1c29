package progress

import (
	"strings"

	"github.com/taskpipeline/pipeline/window"
)

// fileList collects the entries of the lists of files of a progress.md.
type fileList struct {
	files  []Change
	at     map[string]int // path → its index in files
	within int            // 0: outside a list; 1-6: below a heading of that level; else nested below a key
	indent int            // of the key
	action Action         // named by a heading inside the list, such as "Created"
}

// below is the value of within for a list nested below a key.
const below = 7

// read takes the next line that is not blank, with its heading, if it is one.
func (f *fileList) read(l line, level int, title string) {
	if _, isStatus := l.status(); l.hidden || isStatus && f.within < below {
		return
	}
	key := filesLine.MatchString(l.text)
	entry, isBullet := l.bullet()
	switch {
	case level > 0 && strings.EqualFold(strings.TrimSuffix(title, ":"), "files changed"):
		f.within, f.action = level, ""
	case level > 0 && f.within < below && level > f.within && f.within > 0:
		f.action, _ = actionOf(title)
	case level > 0:
		f.within = 0
	case key:
		f.within, f.indent, f.action = below, l.indent, ""
		if !isBullet {
			f.indent-- // its entries may stand in its own column
		}
	case f.within == below && (!isBullet || l.indent <= f.indent):
		f.within = 0
	case f.within > 0 && isBullet:
		f.add(entry)
	}
}

func (f *fileList) add(text string) {
	c, ok := parseEntry(text)
	if !ok {
		return
	}
	if c.Action == "" {
		c.Action = f.action
	}
	if i, again := f.at[c.Path]; again {
		if c.Action != "" {
			f.files[i].Action = c.Action
		}
		return
	}
	if f.at == nil {
		f.at = make(map[string]int)
	}
	f.at[c.Path] = len(f.files)
	f.files = append(f.files, c)
}

// nothing tells whether an entry stands for "no files".
func nothing(s string) bool {
	return window.None(s) || strings.EqualFold(s, "TBD") || strings.EqualFold(s, "(TBD)") || strings.EqualFold(s, "(N/A)")
}
