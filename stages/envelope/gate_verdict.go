package envelope

import (
	"context"
	"fmt"
	"strings"
)

// verdictConsistent holds a review's verdict against its reasons.
func verdictConsistent(_ context.Context, e Envelope, _ Facts) []Check {
	v, ok := e.(ReviewOutput)
	if !ok {
		return nil
	}
	var checks []Check
	reasons, unmet := len(v.Blocking), 0
	if v.Approved && len(v.Blocking) > 0 {
		checks = append(checks, Check{Item: "blocking", Note: "approved is true, and something must change before approval"})
	}
	for _, f := range v.Findings {
		if f.Met {
			continue
		}
		reasons++
		if unmet++; v.Approved && unmet <= maxClaims {
			checks = append(checks, Check{Item: f.Requirement, Note: "not met, and approved is true"})
		}
	}
	if v.Approved && unmet > maxClaims {
		checks = append(checks, Check{Item: "findings", Note: fmt.Sprintf("and %d more that are not met", unmet-maxClaims)})
	}
	if v.Approved && v.Status != Success {
		checks = append(checks, Check{Item: "approved", Note: "true, of a review that was not made: status is fail"})
	}
	if !v.Approved && reasons == 0 && strings.TrimSpace(v.Summary) == "" {
		checks = append(checks, Check{Item: "approved", Note: "false, and nothing says why: name what must change under blocking"})
	}
	if checks == nil {
		checks = []Check{{Item: "approved", OK: true}}
	}
	return checks
}
