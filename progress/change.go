package progress

// Action is what happened to a path.
type Action string

// The three things that can happen to a path, as progress.md spells them.
const (
	Create Action = "CREATE"
	Modify Action = "MODIFY"
	Delete Action = "DELETE"
)

// Change is one path and what happened to it. In a claim (an entry of
// progress.md) an empty Action means that the writer named none.
type Change struct {
	Path   string `json:"path"` // slash-separated, relative to the repository's root
	Action Action `json:"action,omitempty"`
}
