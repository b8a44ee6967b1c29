// Package mirror keeps .pipeline/pipeline.db: what the sessions' files say, as
// tables to ask questions of.
//
// # It decides nothing
//
// The files are the record. No command but `pipeline query` reads the mirror,
// it can be deleted at any time, and nothing stands in it that does not stand
// in a file: a mirror that was brought up to date run after run is the same, in
// its Dump byte for byte, as one made again from the files.
//
// # How it is written
//
// Update folds into it what each session's record holds beyond the last event
// that it has seen, one transaction per session. The fold looks at one event at
// a time and at the rows that are there, so it makes no difference where a
// record was cut. A session whose record was replaced, or does not hold, is
// folded anew; one that is gone leaves the mirror. Rebuild makes the whole
// mirror in a temporary file and renames it into place.
//
// Where a record is lost, what an agent's own files tell is taken instead:
// sends, envelopes and gates from raw_output.jsonl, prompts/ and envelope.json.
// An agent can write there, too; that is why they are asked only then.
//
// # One file, several processes
//
// The file is in WAL mode: SQLite lets one write and others read. Everybody who
// uses it holds a shared lock on the folder meanwhile, and whoever replaces it an
// exclusive one, so that nobody writes beside a file that has lost its name.
package mirror
