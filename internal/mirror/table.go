package mirror

import (
	"fmt"
	"slices"
	"strings"
)

// Version is the version of the tables. A mirror of another one is made anew.
const Version = 1

// Table is a table of the mirror.
type Table struct {
	Name    string   `json:"table"`
	About   string   `json:"about"`
	Columns []Column `json:"columns"`
	Key     []string `json:"key"` // of which columns no two rows have the same
}

// Column is a column of a Table. What is not known, or says nothing, is NULL.
type Column struct {
	Name  string `json:"column"`
	Type  string `json:"type"` // TEXT, INTEGER or REAL
	About string `json:"about"`
}

// create is the statement that makes the table. Rows lie in the order of their
// key; there are no other numbers of rows.
func (t Table) create() string {
	var lines []string
	for _, c := range t.Columns {
		line := c.Name + " " + c.Type
		if slices.Contains(t.Key, c.Name) {
			line += " NOT NULL"
		}
		lines = append(lines, line)
	}
	lines = append(lines, "PRIMARY KEY ("+strings.Join(t.Key, ", ")+")")
	return fmt.Sprintf("CREATE TABLE %s (\n  %s\n) WITHOUT ROWID, STRICT", t.Name, strings.Join(lines, ",\n  "))
}

// insert is the statement that puts a row in; verb is "INSERT" or says what to
// do about one that is there.
func (t Table) insert(verb string) string {
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(t.Columns)), ", ")
	return fmt.Sprintf("%s INTO %s VALUES (%s)", verb, t.Name, marks)
}

// list names the columns.
func (t Table) list() string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	return strings.Join(names, ", ")
}

// table is a table by its name.
func table(name string) Table {
	all := Tables()
	return all[slices.IndexFunc(all, func(t Table) bool { return t.Name == name })]
}
