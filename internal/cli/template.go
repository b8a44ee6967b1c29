package cli

import (
	"embed"
	"errors"
	"io/fs"
	"os"
)

//go:embed template
var templates embed.FS

// writeNew writes a file that does not exist yet, and never touches one that
// does: the error is then fs.ErrExist.
func writeNew(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(path) // half a file would be kept by the next try
	}
	return err
}

// template is one embedded file.
func template(name string) []byte {
	data, err := fs.ReadFile(templates, "template/"+name)
	if err != nil {
		panic("template " + name + " is not in this binary")
	}
	return data
}
