// Package crash stops the program at a named point, so that tests can see what
// a run leaves behind that was killed exactly there, and what the next run makes
// of it.
//
// In a normal build its functions are empty. Built with the tag crashpoints the
// program goes by three variables of its environment:
//
//	PIPELINE_CRASH_AT=<point>:<n>    kill the own process at the n-th passing of the point
//	PIPELINE_CRASH_FAIL=<point>:<n>  the disk is full from the n-th passing on
//	PIPELINE_CRASH_LIST=<file>       append each point that is passed, one a line
//
// A point's name is the words it is given, joined by spaces and cut off at the
// first digit: the files of all attempts share their points. What is done between
// two points, "before X" and "after X", is X.
package crash
