package gitrepo

import "context"

// pack has git pack loose objects, if it thinks that there are enough of them.
// A session leaves a dozen for each TASK, and of the git commands that it uses
// none would ever do so. It is done while refs still hold all of them: what
// nothing points at stays loose, and git complains of that for weeks. How many
// packs there are is not looked at: packing everything anew may take minutes,
// and is for the user's own git to do.
func (r *Reader) pack(ctx context.Context) {
	if ctx.Err() != nil {
		return
	}
	// Begun, it is not cut off: git would leave locks. Nothing depends on it, and
	// the next session tries again.
	_, _ = r.git.run(context.WithoutCancel(ctx), "-c", "gc.autoDetach=false", "-c", "gc.autoPackLimit=0", "gc", "--auto", "--quiet")
}
