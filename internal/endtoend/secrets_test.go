package endtoend

import (
	"bytes"
	"encoding/base64"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// token is a secret with something in it for every language to escape.
const token = `s3<c"r&t\tök/en`

// leaky prints a secret wherever a builder can put one.
const leaky = `#!/bin/sh
b64=$(printf %s "user:$TOKEN" | base64 | tr -d '\n')
printf '%s\n' "plain $TOKEN" "base64 $b64" >&2
printf '%s' "split ${TOKEN%????}"; printf '%s\n' "${TOKEN#${TOKEN%????}}"
printf "%s\n" "$TOKEN" > "$PIPELINE_CONTEXT_HANDOFF_DIR/notes-$PIPELINE_TASK.md"
mkdir -p "$PIPELINE_CONTEXT_HANDOFF_DIR/../$PIPELINE_TASK-$PIPELINE_STAGE/agent_sessions"
printf '\000%s\000' "$TOKEN" > "$PIPELINE_CONTEXT_HANDOFF_DIR/../$PIPELINE_TASK-$PIPELINE_STAGE/agent_sessions/state.db"
escaped=$(printf %s "$TOKEN" | sed 's/&/\&amp;/g; s/</\&lt;/g')
if [ "$PIPELINE_STAGE" = builder ]; then
	case $PIPELINE_TASK-$PIPELINE_ATTEMPT in
	TASK-02-1) printf "key = %s\n" "$TOKEN" > leak.txt; file=leak.txt ;;
	TASK-02-2) rm -f leak.txt; echo x > "$(printf %s "$TOKEN" | base64 | tr -d '/=\n').txt"; file=$(ls *.txt | head -1) ;;
	*) rm -f *.txt; echo "$PIPELINE_TASK" > "$PIPELINE_TASK.ok"; file=$PIPELINE_TASK.ok ;;
	esac
	printf '# Progress\n\n- Status: COMPLETED\n- Files changed:\n  - ` + "`%s`" + ` — CREATE\n' "$file" > "$PIPELINE_PROGRESS"
fi
cat <<EOF
<task-result status="PASS"><summary>with $escaped</summary><notes>$escaped and $b64</notes>
<commit><message>feat: $escaped</message></commit>
<context-handoff><what>what $escaped</what><why>why $escaped</why><caution>$b64</caution></context-handoff></task-result>
EOF
`

func TestSecretStandsInNoFileOfTheSessionAndInNoCommit(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"leaky.sh":         leaky,
		"tasks/TASK-01.md": "# TASK-01: Leak\n",
		"tasks/TASK-02.md": "# TASK-02: Leak into the commit\n\n## Dependencies\n\n- TASK-01\n",
		"tasks/TASK-03.md": "---\nbuilder: agent\n---\n# TASK-03: Leak in a typed reply\n\nThe key is " + token + ".\n\n## Dependencies\n\n- TASK-02\n\n## Acceptance Criteria\n\n- [ ] it uses " + token + "\n",
		"agent.sh":         "cat > /dev/null\necho x > TASK-03.ok\nprintf '{\"status\":\"success\",\"summary\":%s,\"changed_files\":[\"TASK-03.ok\"]}\\n' \"$QUOTED\"\n",
		"pipeline.yaml":    "version: 1\nisolation: worktree\nstages: {builder: it, verifier: it}\nexecutors:\n  it:\n    command: [sh, ./leaky.sh]\n    env: {TOKEN: \"${env:SECRET_TOKEN}\"}\n  agent:\n    command: [sh, ./agent.sh]\n    reply: json\n    env: {QUOTED: '\"s3<c\\\"r&t\\\\tök/en\"'}\n",
	})
	p.env = append(p.env, "SECRET_TOKEN="+token)
	r := p.must(0, "run")
	said := r.stdout + r.stderr
	for _, args := range [][]string{{"inspect", "TASK-01"}, {"inspect", "TASK-02"}, {"logs", "TASK-01"}, {"diff", "TASK-02"}, {"config", "show"}, {"status", "--json"}} {
		r := p.pipeline(args...)
		said += r.stdout + r.stderr
	}
	require.Contains(t, said, "secret in leak.txt: the value of SECRET_TOKEN")
	require.Contains(t, said, "secret in the name of a changed file: the value of SECRET_TOKEN")
	require.Contains(t, said, "[secret SECRET_TOKEN]")

	where := map[string]string{"what was printed": said}
	for _, root := range []string{p.path(".pipeline"), p.path("tasks"), p.path(".git/pipeline"), p.path(".git/refs")} {
		require.NoError(t, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() {
				return err
			}
			b, err := os.ReadFile(path)
			if filepath.Base(path) != "TASK-03.md" { // the user's own words
				where[strings.TrimPrefix(path, p.dir)] = path + string(b)
			}
			return err
		}))
	}
	for line := range strings.Lines(p.git("rev-list", "--objects", "HEAD")) {
		object, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name == "tasks/TASK-03.md" || name == "pipeline.yaml" {
			continue
		}
		kind := p.git("cat-file", "-t", object)
		where["committed "+name+object] = name + p.git("cat-file", kind, object)
	}
	raw := []byte(token)
	for place, text := range where {
		for form, secret := range map[string][]byte{
			"plain": raw, "XML": []byte(strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(token)),
			"JSON": []byte(strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(token)), "JSON for HTML": []byte(strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", `\u0026`, "<", `\u003c`).Replace(token)),
			"base64": []byte(base64.StdEncoding.EncodeToString(raw))[:16], "base64 after user:": []byte(base64.StdEncoding.EncodeToString([]byte("user:" + token)))[8:20],
		} {
			require.False(t, bytes.Contains([]byte(text), secret), "%s in %s:\n%s", form, place, text)
		}
	}
	require.NotEmpty(t, where["/.pipeline/sessions/"+p.events()[0].Session+"/events.jsonl"])
}
