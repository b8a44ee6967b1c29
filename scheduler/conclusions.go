package scheduler

import "fmt"

// conclude notes a conclusion that the facts call for.
func (p *Plan) conclude(e Event) { p.expected = append(p.expected, e) }

// Conclusions returns the conclusions that no event has stated yet, in order.
// Whoever records the facts records these after them, and applies them too.
func (p *Plan) Conclusions() []Event { return p.expected }

// concluded compares a recorded conclusion with the one that is due.
func (p *Plan) concluded(e *Event) string {
	if e.Type == RunFinished {
		if v := p.verdict(); len(p.gone) == 0 && e.Verdict != v {
			return fmt.Sprintf("the record says %q, the facts say %q", e.Verdict, v)
		}
		return ""
	}
	if p.gone[e.Task] {
		return ""
	}
	if len(p.expected) == 0 {
		return "nothing before it leads to this"
	}
	due := p.expected[0]
	if due.Type != e.Type || due.Task != e.Task || due.Reason != e.Reason || due.Commit != e.Commit {
		return fmt.Sprintf("the facts before it lead to %s %s %s%s", due.Type, due.Task, due.Reason, due.Commit)
	}
	p.expected = p.expected[1:]
	return ""
}

// verdict is how the run stands, as it would end now.
func (p *Plan) verdict() Verdict {
	waits := map[WaitFor]bool{}
	if p.open > 0 {
		for i := range p.nodes {
			if n := &p.nodes[i]; n.state == Waiting {
				waits[n.wait.what] = true
			}
		}
	}
	switch {
	case p.stopped:
		return Stopped
	case p.failed > 0:
		return SomeFailed
	case waits[ForBlocked] || len(p.behind) > 0:
		return IsBlocked
	case waits[ForBudget]:
		return OverBudget
	case waits[ForRateLimit]:
		return RateLimited
	case waits[ForApproval]:
		return IsWaiting
	case p.open > 0:
		return Stuck
	}
	return AllDone
}

// Totals count the TASKs by where they stand.
func (p *Plan) Totals() Totals {
	var t Totals
	for i := range p.nodes {
		switch n := &p.nodes[i]; n.state {
		case IsLanded:
			t.Done++
		case UpToDate:
			t.UpToDate++
		case IsFailed:
			t.Failed++
		case Skipped:
			t.Skipped++
		case Waiting:
			t.Waiting++
		case Pending:
			t.NotStarted++
		case Running:
			t.Interrupted++
		}
	}
	return t
}
