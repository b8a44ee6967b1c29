//go:build !crashpoints

package crash

// At is a point.
func At(...string) {}

// Around is a point before what follows, and one after it for its caller to
// defer.
func Around(...string) func() { return func() {} }

// Full is a point where a disk may be full.
func Full(...string) error { return nil }
