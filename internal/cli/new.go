package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	texttemplate "text/template"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/taskpipeline/pipeline/internal/view"
	"github.com/taskpipeline/pipeline/tasks"
)

type newOptions struct {
	Title   string
	Dir     string
	Depends []string
}

func newCommand(p *Process) *cobra.Command {
	var o newOptions
	c := &cobra.Command{
		Use:   "new TITLE",
		Short: "Write a TASK file with the next free number",
		Long: `Write a TASK file from a template, with the next number that neither a TASK nor
a result of one bears. Its name is printed. No file is ever overwritten.`,
		Example: `  pipeline new "Log in with a password"
  pipeline new "Log out" --depends TASK-01,TASK-03`,
		GroupID: groupSetUp,
		Args:    exactly(1, "the title, in quotes,"),
		RunE: func(c *cobra.Command, args []string) error {
			o.Title = strings.Join(strings.Fields(args[0]), " ")
			if err := o.check(); err != nil {
				return err
			}
			return runNew(p, o)
		},
	}
	c.Flags().StringSliceVar(&o.Depends, "depends", nil, "the `TASKS` that it needs, separated by commas")
	c.Flags().StringVar(&o.Dir, "dir", "", "the folder of TASK files; default: the config's")
	return c
}

// check makes the dependencies canonical.
func (o *newOptions) check() error {
	switch {
	case o.Title == "":
		return faultf(errUsage, "the title is empty").then(`pipeline new "What is to be built"`)
	case len(o.Title) > 200:
		return faultf(errUsage, "the title has %d bytes; the limit is 200: say the rest under ## Scope", len(o.Title))
	case view.Plain(o.Title) != o.Title:
		return faultf(errUsage, "the title holds control characters: %q", o.Title)
	}
	for i, d := range o.Depends {
		id, ok := tasks.ParseID(strings.TrimSpace(d))
		if !ok {
			return faultf(errUsage, "--depends %q: not a TASK's id, such as TASK-03", d)
		}
		o.Depends[i] = string(id)
	}
	slices.SortFunc(o.Depends, func(a, b string) int { return tasks.ID(a).Compare(tasks.ID(b)) })
	o.Depends = slices.Compact(o.Depends)
	return nil
}

func runNew(p *Process, o newOptions) error {
	settings, err := p.settings()
	if err != nil {
		return err
	}
	dir := settings.TasksDir
	if o.Dir != "" {
		dir = p.path(o.Dir)
	}
	taken, err := takenNumbers(dir)
	if err != nil {
		return err
	}
	for _, d := range o.Depends {
		if !slices.Contains(taken, tasks.ID(d).Number()) {
			return faultf(errNothing, "--depends %s: there is no such TASK in %s", d, p.typed(dir)).then("pipeline graph %s", p.typed(dir))
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return faultf(errUsage, "the folder %s cannot be made: %v", p.typed(dir), err)
	}
	byScript := settings.Executors[settings.Stages.Builder].Script
	number := 1
	if len(taken) > 0 {
		number = slices.Max(taken) + 1
	}
	for {
		id := fmt.Sprintf("TASK-%02d", number)
		path := filepath.Join(dir, id+slug(o.Title)+".md")
		err := writeNew(path, fillTask(id, o, byScript))
		if errors.Is(err, fs.ErrExist) { // somebody else took the number just now
			number++
			continue
		}
		if err != nil {
			return faultf(errUsage, "%s cannot be written: %v", p.typed(path), err)
		}
		_, err = fmt.Fprintln(p.Stdout, p.typed(path))
		return err
	}
}

// fillTask fills in the template. A TASK that a script builds needs a script.
func fillTask(id string, o newOptions, byScript bool) []byte {
	var b bytes.Buffer
	data := map[string]any{"ID": id, "Title": o.Title, "Depends": o.Depends, "Script": byScript}
	if err := texttemplate.Must(texttemplate.New("").Parse(string(template("task.md")))).Execute(&b, data); err != nil {
		panic(err) // only a template that does not fit the data does this
	}
	return b.Bytes()
}

// numberPattern is deliberately wider than the name of a TASK file: a number
// that only a result or a misspelt file bears is taken, too.
var numberPattern = regexp.MustCompile(`(?i)TASK[-_ ]?([0-9]{1,9})(?:[^0-9]|$)`)

// takenNumbers are the numbers in a folder's file names; none if it is missing.
func takenNumbers(dir string) ([]int, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, faultf(errUsage, "the folder %s cannot be read: %v", dir, err)
	}
	var taken []int
	for _, e := range entries {
		if m := numberPattern.FindStringSubmatch(e.Name()); m != nil {
			n, _ := strconv.Atoi(m[1]) // nine digits at most
			taken = append(taken, n)
		}
	}
	return taken, nil
}

// endings at which a file is taken for something written about a TASK.
var endings = [...]string{"result", "progress", "verification", "report", "수행결과", "결과"}

// slug is the part of a file's name that tells people what the TASK is about:
// "-log-in-with-a-password", or "" when the title leaves nothing.
func slug(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r)
	})
	length := 0
	for i, w := range words {
		if length += len(w) + 1; length > 60 {
			words = words[:i]
			break
		}
	}
	for len(words) > 0 && slices.Contains(endings[:], words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		return ""
	}
	return "-" + strings.Join(words, "-")
}
