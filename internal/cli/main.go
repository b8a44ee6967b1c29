package cli

import "context"

// Main runs one command line and returns its exit code.
func Main(ctx context.Context, p *Process) int {
	root := rootCommand(p)
	root.SetArgs(p.Args)
	root.SetIn(p.Stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	err := root.ExecuteContext(ctx)
	if err != nil {
		report(p.Stderr, p.palette(p.Stderr), err)
	}
	return exitCode(err)
}
