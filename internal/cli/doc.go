// Package cli is the command line: it reads flags, calls the packages that do
// the work, and turns what they return into output and an exit code.
//
// Each subcommand has a file of its own, in three parts: a constructor that
// declares flags and help, a pure check of what was typed, and a runner that
// takes a context and the checked options. What is asked for goes to stdout;
// progress and messages go to stderr. Exit codes are chosen in one place,
// exitCode.
package cli
