package proc

import "context"

// killKey is the context key of WithKill.
type killKey struct{}

// WithKill is ctx with a way to shorten every end: once ctx is over and kill is
// closed, groups are killed at once instead of being given their grace.
func WithKill(ctx context.Context, kill <-chan struct{}) context.Context {
	return context.WithValue(ctx, killKey{}, kill)
}

// killOf is the channel of WithKill, nil if there is none.
func killOf(ctx context.Context) <-chan struct{} {
	kill, _ := ctx.Value(killKey{}).(<-chan struct{})
	return kill
}
