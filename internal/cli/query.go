package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taskpipeline/pipeline/internal/mirror"
	"github.com/taskpipeline/pipeline/internal/view"
)

// mostRows is how many rows a table shows unless told otherwise.
const mostRows = 1000

type queryOptions struct {
	SQL   string
	JSON  bool
	Dump  bool
	Limit int // rows; 0 for all
}

func queryCommand(p *Process) *cobra.Command {
	var o queryOptions
	c := &cobra.Command{
		Use:   `query ["SQL"]`,
		Short: "Ask the sessions questions in SQL: costs, attempts, corrections",
		Long: `Answer a question in SQL (SQLite) about all sessions of this repository. Without
one, list the tables and their columns. "-" reads it from the standard input.

The tables are in .pipeline/pipeline.db, a mirror of the sessions' files that is
brought up to date first. Nothing can be changed by a query, and no other command
reads the mirror: it can be deleted at any time.

A table shows the first 1,000 rows and says so if there are more; --json prints
all. --limit sets another bound for both.

Exit code 5: the SQL cannot be read or run; the message says where. 2: it would
change something.`,
		Example: `  # what each TASK cost
  pipeline query "SELECT task, sum(sends) AS sends, sum(usd) AS usd FROM stages GROUP BY session, task ORDER BY usd DESC"
  # which attempts failed, and why
  pipeline query "SELECT session, task, stage, attempt, reason FROM stages WHERE status = 'FAIL' ORDER BY session, seq"
  # what agents had to be corrected for
  pipeline query "SELECT agent, send, type, error FROM envelopes WHERE error IS NOT NULL" --json`,
		GroupID: groupLook,
		Args:    oneStatement,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.SQL = args[0]
			} else if !o.Dump {
				return p.tellTables(o.JSON)
			}
			o.limited(c.Flags().Changed("limit"))
			if err := o.check(); err != nil {
				return err
			}
			return runQuery(c.Context(), p, o)
		},
	}
	c.Flags().BoolVar(&o.JSON, "json", false, "print JSON: an array of rows")
	c.Flags().IntVar(&o.Limit, "limit", mostRows, "print at most so many `rows`; 0 for all")
	c.Flags().BoolVar(&o.Dump, "dump", false, "print the whole mirror as SQL, to load it into another database")
	return c
}

// oneStatement refuses SQL that the shell has taken apart.
func oneStatement(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return faultf(errUsage, "query: put the SQL in quotes").then("pipeline query %q", strings.Join(args, " "))
	}
	return nil
}

// limited takes the bound off where nobody asked for one.
func (o *queryOptions) limited(asked bool) {
	if o.JSON && !asked {
		o.Limit = 0
	}
}

func (o *queryOptions) check() error {
	switch {
	case o.Dump && (o.SQL != "" || o.JSON):
		return faultf(errUsage, "--dump prints everything, as SQL; it goes with neither SQL nor --json").then("pipeline query --dump")
	case o.Limit < 0:
		return faultf(errUsage, "--limit %d: it is a number of rows, 0 for all", o.Limit)
	}
	return nil
}

func runQuery(ctx context.Context, p *Process, o queryOptions) error {
	if o.SQL == "-" {
		text, err := io.ReadAll(p.Stdin)
		if err != nil {
			return err
		}
		o.SQL = string(text)
	}
	pr, err := p.project(ctx)
	if err != nil {
		return err
	}
	m, err := p.upToDate(ctx, pr)
	if err != nil {
		return err
	}
	if o.Dump {
		return mirrorFault(m.Dump(ctx, p.Stdout))
	}
	answer, err := m.Query(ctx, o.SQL)
	if err != nil {
		return mirrorFault(err)
	}
	more, err := p.printAnswer(ctx, answer, o)
	if err = errors.Join(err, answer.Close()); err != nil {
		return mirrorFault(err)
	}
	if more {
		fmt.Fprintf(p.Stderr, "pipeline: these are the first %d rows; `--limit 0` prints all\n", o.Limit)
	}
	return nil
}

// upToDate brings the mirror up to date. It says what it had to replace, and of
// which sessions it cannot tell all.
func (p *Process) upToDate(ctx context.Context, pr *project) (mirror.Mirror, error) {
	m := mirror.Of(pr.store)
	ids, err := pr.store.IDs()
	if err != nil {
		return m, err
	}
	if len(ids) == 0 {
		return m, faultf(errNothing, "there is no session in %s yet", pr.repo.Root()).then("pipeline run")
	}
	r, err := m.Update(ctx)
	if err != nil {
		return m, mirrorFault(err)
	}
	p.warnReplaced(m, r)
	if n := len(r.Problems); n > 0 {
		p.warn(fmt.Sprintf("not all can be told of %s, beginning with %s", plural(n, "session"), r.Problems[0].Session), "pipeline rebuild")
	}
	return m, nil
}

// warnReplaced tells of a file that was no mirror.
func (p *Process) warnReplaced(m mirror.Mirror, r mirror.Report) {
	if r.Replaced != "" {
		p.warn(fmt.Sprintf("%s was made anew: %s", p.typed(m.Path()), r.Replaced), "")
	}
}

// warn tells of something that does not keep the command from going on.
func (p *Process) warn(text, next string) {
	fmt.Fprintf(p.Stderr, "%s %s\n", p.palette(p.Stderr).yellow("pipeline: warning:"), view.Plain(text))
	if next != "" {
		fmt.Fprintf(p.Stderr, "  next: %s\n", next)
	}
}

func (p *Process) printAnswer(ctx context.Context, a *mirror.Answer, o queryOptions) (more bool, err error) {
	if o.JSON {
		return view.RowsJSON(p.Stdout, a.Columns, a.Rows(ctx), o.Limit)
	}
	style := p.style(p.Stdout)
	if !isTerminal(p.Stdout) {
		style.Width = 0 // nothing is cut for whoever reads on
	}
	return view.Rows(p.Stdout, a.Columns, a.Rows(ctx), o.Limit, style)
}

// mirrorFault gives an error of the mirror its kind.
func mirrorFault(err error) error {
	var (
		wrong   *mirror.QueryError
		strange *mirror.StrangeError
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong):
		return faultf(errUnparsable, "SQL %v", wrong).then("pipeline query, for the tables and their columns")
	case errors.Is(err, mirror.ErrNoReading):
		return faultf(errUsage, "query: %v: the mirror follows the sessions' files", err).then("pipeline query --help")
	case errors.As(err, &strange):
		return faultf(errUsage, "%s: %v", mirror.File, strange).then("pipeline rebuild")
	}
	return err
}
