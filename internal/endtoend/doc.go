// Package endtoend tests the program as its users have it: the built binary,
// real repositories, real processes, kills and full disks. It holds tests only.
//
// Long tests run a small part of their rounds by default; the flag -full runs
// all of them:
//
//	go test ./internal/endtoend -full
package endtoend
