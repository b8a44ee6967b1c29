package cli

// tasksDir is the absolute path of the folder of TASK files: the one typed,
// else "tasks".
func (p *Process) tasksDir(typed string) (string, error) {
	if typed == "" {
		typed = "tasks"
	}
	return p.path(typed), nil
}
