package cli

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"
)

// binary is what the binary knows of its own making.
type binary struct {
	Version  string    `json:"version"`
	Revision string    `json:"revision,omitempty"`
	Modified bool      `json:"modified,omitempty"` // made from uncommitted files
	Time     time.Time `json:"time,omitzero"`      // of the revision
	Go       string    `json:"go"`
	Platform string    `json:"platform"`
}

func versionCommand(p *Process) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "version",
		Short:   "Print the version of this program",
		Example: "  pipeline version --json",
		GroupID: groupSetUp,
		Args:    atMost(0),
		RunE:    func(*cobra.Command, []string) error { return runVersion(p, asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func runVersion(p *Process, asJSON bool) error {
	b := built()
	if asJSON {
		return p.printJSON(b)
	}
	_, err := fmt.Fprintf(p.Stdout, "pipeline %s %s %s\n", b.Version, b.Go, b.Platform)
	return err
}

// built reads the build information that the go command puts into a binary.
func built() binary {
	b := binary{Version: "(devel)"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Go = info.GoVersion
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	var os, arch string
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		case "vcs.time":
			if t, err := time.Parse(time.RFC3339, s.Value); err == nil {
				b.Time = t
			}
		case "GOOS":
			os = s.Value
		case "GOARCH":
			arch = s.Value
		}
	}
	b.Platform = os + "/" + arch
	return b
}

// printJSON is the form of every --json answer.
func (p *Process) printJSON(v any) error {
	enc := json.NewEncoder(p.Stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
