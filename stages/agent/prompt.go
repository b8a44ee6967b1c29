package agent

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"unicode/utf8"

	"github.com/taskpipeline/pipeline/stages/envelope"
)

//go:embed templates
var defaults embed.FS

// These bound the template files of the user's, in bytes. A system prompt is an
// argument of the program, and no system takes longer ones.
const (
	maxTemplate = 1 << 20
	maxSystem   = 64 << 10
)

// texts are what the placeholders of a template stand for, and the templates.
type texts struct {
	system, user string
	values       map[string]string
}

// Templates are the default templates, laid out as Executor.Prompts is.
func Templates() fs.FS {
	sub, err := fs.Sub(defaults, "templates")
	if err != nil {
		panic(err) // a constant name
	}
	return sub
}

// template reads a role's template, its own or else the default.
func (e Executor) template(r role, name string) (string, error) {
	path := r.name + "/" + name
	if e.Prompts != nil {
		text, err := readTemplate(e.Prompts, path)
		if !errors.Is(err, fs.ErrNotExist) {
			return text, err
		}
	}
	return readTemplate(Templates(), path)
}

func readTemplate(from fs.FS, path string) (string, error) {
	info, err := fs.Stat(from, path)
	if err != nil {
		return "", err
	}
	most := int64(maxTemplate)
	if strings.HasSuffix(path, "system.md") {
		most = maxSystem
	}
	if info.Size() > most {
		return "", fmt.Errorf("the template %s has %d bytes, at most %d are allowed", path, info.Size(), most)
	}
	b, err := fs.ReadFile(from, path)
	if err == nil && !utf8.Valid(b) {
		err = fmt.Errorf("the template %s is not valid UTF-8", path)
	}
	return string(b), err
}

// checkTemplates reads all that a folder of templates has.
func checkTemplates(from fs.FS) error {
	if _, err := fs.Stat(from, "."); err != nil {
		return fmt.Errorf("prompts: %w", err)
	}
	for _, r := range roles() {
		for _, name := range []string{"system.md", "user.md"} {
			if _, err := readTemplate(from, r.name+"/"+name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("prompts: %w", err)
			}
		}
	}
	return nil
}

// describe gathers all that the prompt says.
func (c *conversation) describe(ctx context.Context) (err error) {
	if c.texts.system, err = c.template(c.role, "system.md"); err != nil {
		return err
	}
	if c.texts.user, err = c.template(c.role, "user.md"); err != nil {
		return err
	}
	var message bytes.Buffer
	if c.req.Dispatch.Task != "" {
		if err := c.req.Dispatch.Encode(&message); err != nil {
			return err
		}
	}
	changes, err := c.changes(ctx)
	if err != nil {
		return err
	}
	c.texts.values = map[string]string{
		"prompt":              cmp.Or(c.asked, fmt.Sprintf("%s: %s", c.req.Step.Task, c.req.Dispatch.Spec.Title)),
		"previous_envelope":   cmp.Or(c.previous(), none),
		"context_handoff_dir": c.req.HandoffDir,
		"dispatch":            cmp.Or(strings.TrimSpace(message.String()), none),
		"report":              c.report(),
		"changes":             cmp.Or(changes, none),
		"quality":             cmp.Or(indented(c.req.Quality), none),
		"progress":            c.req.Progress,
		"workspace":           c.req.Workspace,
	}
	return nil
}

// none is what stands where there is nothing to hand over.
const none = "(none)"

// previous is the envelope of the stage before: the builder's for a verifier,
// that of the stage that failed for a retry. A result that came as XML is
// rendered as one.
func (c *conversation) previous() string {
	p := c.req.Previous
	if p == nil {
		return ""
	}
	if p.Envelope != nil {
		return indented(p.Envelope)
	}
	return string(envelope.Marshal(envelope.FromResult(*p)))
}

func indented(raw json.RawMessage) string {
	var out bytes.Buffer
	if len(raw) == 0 || json.Indent(&out, raw, "", "  ") != nil {
		return ""
	}
	return out.String()
}

// maxDiff bounds the patch that a verifier is given.
const maxDiff = 4 << 20

// changes is the snapshot's diff as an envelope, for those who judge it. The
// patch itself is a file of the agent's folder.
func (c *conversation) changes(ctx context.Context) (string, error) {
	if !c.role.readOnly || c.req.Snapshot == "" || c.req.Facts == nil {
		return "", nil
	}
	d, err := c.req.Facts.Diff(ctx, c.req.Base, c.req.Snapshot, maxDiff)
	if err != nil {
		return "", err
	}
	name := "changes-" + c.req.Step.Number() + ".diff"
	if err := c.req.Sink.Save(name, d.Patch); err != nil {
		return "", err
	}
	out := envelope.FromDiff(envelope.Diff{
		Base: string(c.req.Base), Files: d.Files, Insertions: d.Insertions, Deletions: d.Deletions, Stat: d.Stat,
		Path: c.inAgentDir(name),
	})
	return string(envelope.Marshal(out)), nil
}

// prompt is the whole prompt: the user template with every placeholder
// replaced in one pass, so that nothing that is put in is replaced again.
func (c *conversation) prompt() string { return fill(c.texts.user, c.texts.values) }

// fill replaces {{name}} for the names that values has. Others stay.
func fill(template string, values map[string]string) string {
	pairs := make([]string, 0, 2*len(values))
	for name, value := range values {
		pairs = append(pairs, "{{"+name+"}}", value)
	}
	return strings.NewReplacer(pairs...).Replace(template)
}
