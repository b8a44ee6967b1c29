package proc

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOnlyTheAllowlistIsPassedOn(t *testing.T) {
	t.Parallel()
	kept := []string{"PATH=/bin", "HOME=/h", "USER=u", "LANG=C", "LC_ALL=C", "LC_TIME=C", "TZ=UTC", "TMPDIR=/t", "TERM=dumb", "SSH_AUTH_SOCK=/s"}
	secret := []string{"AWS_SECRET_ACCESS_KEY=x", "PIPELINE_TASK=TASK-01", "PATHS=x", "LD_PRELOAD=x", "LC=x", ""}
	require.Equal(t, kept, Allowed(append(append([]string{}, secret...), kept...)))
}
