package agent

import (
	"fmt"
	"sync"

	"github.com/taskpipeline/pipeline/stages"
)

// Budget is what the agents of one session may use up together. It is looked
// at before each send: a send that has begun is not cut off. The zero value
// has no limits. It is safe for concurrent use.
type Budget struct {
	USD    float64 // 0 for no limit
	Tokens int64   // of input and output; 0 for no limit

	mu     sync.Mutex
	spent  stages.Usage
	warned map[string]bool
}

// Unmeasured reports, once for each name, that a limit in dollars is set, which
// means nothing to an agent that does not say what it costs.
func (b *Budget) Unmeasured(name string) bool {
	if b == nil || b.USD == 0 {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.warned[name] {
		return false
	}
	if b.warned == nil {
		b.warned = map[string]bool{}
	}
	b.warned[name] = true
	return true
}

// Spend adds to what is used up.
func (b *Budget) Spend(u stages.Usage) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spent = b.spent.Plus(u)
}

// Over says what is used up, "" while something is left.
func (b *Budget) Over() string {
	if b == nil {
		return ""
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	tokens := b.spent.InputTokens + b.spent.OutputTokens
	switch {
	case b.USD > 0 && b.spent.USD >= b.USD:
		return fmt.Sprintf("budget.usd is reached: $%.2f of $%.2f", b.spent.USD, b.USD)
	case b.Tokens > 0 && tokens >= b.Tokens:
		return fmt.Sprintf("budget.tokens is reached: %d of %d", tokens, b.Tokens)
	}
	return ""
}
