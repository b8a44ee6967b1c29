package view

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/taskpipeline/pipeline/tasks"
	"github.com/taskpipeline/pipeline/window"
)

type junitSuites struct {
	XMLName xml.Name   `xml:"testsuites"`
	Suite   junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name      string      `xml:"name,attr"`
	Tests     int         `xml:"tests,attr"`
	Failures  int         `xml:"failures,attr"`
	Errors    int         `xml:"errors,attr"`
	Skipped   int         `xml:"skipped,attr"`
	Time      string      `xml:"time,attr"`
	Timestamp string      `xml:"timestamp,attr"`
	Cases     []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string     `xml:"classname,attr"`
	Name    string     `xml:"name,attr"`
	Time    string     `xml:"time,attr"`
	Failure *junitNote `xml:"failure"`
	Skipped *junitNote `xml:"skipped"`
}

type junitNote struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",cdata"`
}

// JUnit writes the session as a JUnit report: one testsuite, a testcase for
// each TASK. A FAILED one is a failure with the end of its output; whatever is
// neither done nor FAILED is skipped, with the reason.
func (r *Record) JUnit(w io.Writer, now time.Time) error {
	run, end := r.Plan.Run(), r.Updated
	suite := junitSuite{
		Name: oneLine(strings.TrimSpace(run.Work + " " + run.Session)), Time: seconds(end.Sub(r.Started)),
		Timestamp: r.Started.UTC().Format("2006-01-02T15:04:05"),
	}
	for t := range r.Plan.Graph().All() {
		if r.Standing(t.ID) == NotAsked {
			continue
		}
		c := r.junitCase(&t, now)
		suite.Tests++
		if c.Failure != nil {
			suite.Failures++
		}
		if c.Skipped != nil {
			suite.Skipped++
		}
		suite.Cases = append(suite.Cases, c)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(junitSuites{Suite: suite}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (r *Record) junitCase(t *tasks.Task, now time.Time) junitCase {
	h := r.History(t.ID)
	c := junitCase{Class: oneLine(r.Plan.Run().Work), Name: oneLine(fmt.Sprintf("%s %s", t.ID, t.Title)), Time: seconds(h.elapsed(r.Live, now))}
	switch s := r.Standing(t.ID); s {
	case Done, UpToDate:
	case Failed:
		c.Failure = &junitNote{Message: oneLine(r.Why(t.ID)), Text: failureText(h)}
	default:
		c.Skipped = &junitNote{Message: oneLine(strings.TrimSpace(string(s) + ": " + r.Why(t.ID)))}
	}
	return c
}

// failureText is what the last failure left to read, bounded.
func failureText(h *TaskHistory) string {
	f := h.LastFailure()
	if f == nil || f.Result == nil {
		return ""
	}
	var b strings.Builder
	for _, d := range f.Result.Failures {
		lines, _ := printed(d.Error, 60, 400)
		fmt.Fprintf(&b, "%s\n%s\n", oneLine(d.Check), strings.Join(lines, "\n"))
	}
	return window.Clean(b.String())
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", max(d, 0).Seconds()) }
