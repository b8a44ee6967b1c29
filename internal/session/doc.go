// Package session keeps everything that is recorded of a run in one folder.
//
// # Folders
//
//	<repository>/.pipeline/              holds a .gitignore of "*"
//	└── sessions/<id>/
//	    ├── events.jsonl                 the record: one event a line, appended only
//	    ├── requests/<ulid>.json         what people ask of a live run, until it is recorded
//	    ├── agent_map.json               agent → {session_id, model, coding_agent}
//	    ├── context_handoff/             files that agents write for the agents that follow
//	    └── <TASK>-<stage>/              one agent's files
//	        ├── dispatch-<n>[.<r>].xml   one per step
//	        ├── task-result-<n>[.<r>].xml
//	        ├── prompts/                 what was sent, one numbered file per send
//	        └── raw_output.jsonl         what it printed, appended live
//
// The events are the only memory of a run. Every other file can be made again
// from them, or is evidence that no decision rests on.
//
// # events.jsonl
//
// UTF-8 JSON objects, one per line, each ended by LF and at most MaxLine bytes
// long; their fields are those of scheduler.Event, described by
// schemas/event.schema.json. "v" is 1, "seq" counts from 1 without gaps. A last
// line without LF was torn by a crash: it is dropped, and cut off before the
// next event is appended. Anything else that is not an event is an error that
// names the line. Unknown fields are ignored; an event of an unknown type is
// kept, since it holds a place in the numbering.
//
// An event is on disk (Journal.Sync has returned) before anything acts on it.
//
// # requests/<ulid>.json
//
// One command event of at most 64 KiB, written whole under its final name. The
// live run reads the folder, records the event with "request" set to the ulid,
// and only then removes the file; a ulid that the record already holds is
// removed without being recorded again. A stop whose ulid is older than the
// run's lock was meant for an earlier run: a warning is recorded in its place.
//
// # agent_map.json
//
// One JSON object: agent name → {"session_id", "model", "coding_agent"}, exactly
// these keys, replaced whole. A file that says anything else is left alone and
// reported.
//
// # raw_output.jsonl
//
// The bytes that the agent printed, those of all its steps in a row. A step that
// prints more than its limit keeps the first half of it and the end; between
// them stands a line {"type":"output_cut","bytes":N}.
//
// # The lock
//
// <git common dir>/pipeline/lock is locked with flock(2) by the one live run of
// a repository and holds {"pid", "host", "started", "session"}. The operating
// system frees it when its holder dies, so a dead holder is simply followed; a
// run that ends well removes it. On a network file system this is as good as
// that system's flock.
package session
