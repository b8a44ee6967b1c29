package proc

// What of a failed process's output is told with the reason.
const (
	lastLines = 60
	lastBytes = 16 << 10
)

// WithLast is why a process failed, and below it the end of what it printed, as
// whoever mends it is told.
func WithLast(reason string, output []byte) string {
	if last := Tail(output, lastLines, lastBytes); last != "" {
		return reason + ". The last it printed:\n" + last
	}
	return reason + ". It printed nothing."
}
