// Package view turns graphs and the records of sessions into what people read.
//
// # From events to a Record
//
// A Record is a session's events folded once: the scheduler's Plan says where
// each TASK stands, a TaskHistory what became of its steps. Everything else is
// made from a Record and from nothing else but what is given as an argument,
// such as the time and the width of the terminal: nothing here reads a file or
// a clock.
//
//	record, err := view.Fold(nil, events)
//	err = record.Status(time.Now()).Text(os.Stdout, view.Style{Width: 80})
//
// # Documents
//
// Status, Inspection, Explanation, Context, Forecast and Session are plain
// data. Each has a form for people (Text) and is its own JSON (JSON): field
// names are a contract, lists are never null, times are RFC 3339, durations are
// milliseconds in "ms". Each ends in the next command to type.
//
// # A run as it goes
//
// Lines prints a line per event, Live a terminal's screen. Both are given to a
// Runner as its Observe and fold the same Record.
//
// # What is shown is not trusted
//
// Titles, reasons, output and handoffs come from agents and programs. Control
// characters, terminal sequences and whatever turns the direction of writing
// are taken out, lines and lists are bounded, and no text of theirs can begin a
// line that passes for one of ours.
package view
