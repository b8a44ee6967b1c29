// Package secret finds values that must not be written down, in whatever form
// they are printed, and masks them.
//
// A value is looked for as it is; as JSON, XML, a URL, a shell and Go's %q
// escape it, and as two of these do one after the other; in base64, also in the
// middle of a longer text, and in hexadecimal. The lines of a value of several
// lines are looked for, too, each by itself. A text that was changed in any
// other way is not recognised.
package secret
