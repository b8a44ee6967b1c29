// Package envelope is the typed reply of an agent: a JSON object of a type that
// code has fixed, read strictly, and held against the facts by gates.
//
// An envelope is a manifest of claims. Parse and Find decide whether a reply is
// one; RunGates whether what it claims is so; Result turns it into the verdict
// that the pipeline goes on with.
//
// Every type has status, which alone is required, and summary, artifacts and
// notes_for_next_agent:
//
//	{
//	  "status": "success",
//	  "summary": "the login form checks the password",
//	  "artifacts": ["context_handoff/login.md"],
//	  "notes_for_next_agent": "",
//	  "changed_files": ["auth/login.go"],
//	  "commit_message": "feat: check the password"
//	}
//
// Reading is strict where encoding/json is not: null, another type, and another
// case of a key or of status are mistakes, and the error names the field. Keys
// that are not known are passed over.
package envelope
