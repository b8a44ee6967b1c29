package progress

import "strings"

// Criteria are the items below the `## Acceptance Criteria` heading of a TASK's
// Markdown (완료 조건, 수락 기준, 受け入れ基準), as they are ticked there.
func Criteria(spec string) []Item {
	var items []Item
	level := 0 // of the heading, 0 outside its section
	for _, l := range lines(spec) {
		if n, title := l.heading(); n > 0 {
			switch {
			case isCriteria(title):
				level = n
			case n <= level:
				level = 0
			}
			continue
		}
		if entry, ok := l.bullet(); ok && level > 0 {
			if item := itemOf(entry); item.Text != "" {
				items = append(items, item)
			}
		}
	}
	return items
}

func isCriteria(title string) bool {
	switch strings.ToLower(strings.TrimSuffix(title, ":")) {
	case "acceptance criteria", "완료 조건", "완료 기준", "수락 기준", "受け入れ基準", "受入基準", "完了条件":
		return true
	}
	return false
}

// itemOf reads "[x] text" and "[ ] text"; without a box it is not done.
func itemOf(entry string) Item {
	for _, box := range []struct {
		mark string
		done bool
	}{{"[ ]", false}, {"[x]", true}, {"[X]", true}} {
		if text, ok := strings.CutPrefix(entry, box.mark); ok {
			return Item{Text: strings.TrimSpace(text), Done: box.done}
		}
	}
	return Item{Text: entry}
}
