// Package proc runs one process of a stage and makes sure that nothing of it
// is left behind.
//
// The process leads a group of its own. When the context ends, the group gets
// SIGTERM, and SIGKILL after a grace period. When the process has ended,
// whatever it left running has a short while to finish, and is then killed: a
// stage is over when its process is over. On Linux the
// process also dies with us, even if we are killed. What has left the group on
// purpose, as daemons do, is not followed; it cannot hold up the stage either.
//
// Output is copied as it arrives, in small pieces; how much of it is kept is
// up to the writers. Capture keeps a bounded part: the beginning and the end.
package proc
