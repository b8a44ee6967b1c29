package tasks

import "strings"

// files returns the rows of the `## Files` tables. Columns are known by their
// headers (Path, Action, Description), else by their order.
func (d *document) files(sections []section) []FileClaim {
	var found []FileClaim
	for _, s := range sections {
		if s.level != 2 || s.name != "files" {
			continue
		}
		for _, n := range s.blocks {
			rows := d.rows(n)
			if len(rows) == 0 {
				continue
			}
			path, action, note := fileColumns(rows[0])
			for _, row := range rows[1:] {
				c := FileClaim{Path: cell(row, path), Action: fileAction(cell(row, action)), Note: cell(row, note)}
				if c.Path != "" {
					found = append(found, c)
				}
			}
		}
	}
	return found
}

func fileColumns(header []line) (path, action, note int) {
	path, action, note = 0, 1, 2
	for i, c := range header {
		switch normalKey(c.text) {
		case "path", "file":
			path = i
		case "action":
			action = i
		case "description", "note":
			note = i
		}
	}
	return path, action, note
}

// cell returns the text of a cell without a code span around it.
func cell(row []line, i int) string {
	if i >= len(row) {
		return ""
	}
	s := strings.TrimSpace(row[i].text)
	if n := len(s); n > 1 && s[0] == '`' && s[n-1] == '`' && !strings.Contains(s[1:n-1], "`") {
		s = strings.TrimSpace(s[1 : n-1])
	}
	return s
}

// fileAction writes the three known actions in capitals and leaves others alone.
func fileAction(s string) string {
	switch up := strings.ToUpper(s); up {
	case "CREATE", "MODIFY", "DELETE":
		return up
	}
	return s
}
