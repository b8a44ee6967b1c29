package agentlog

import "encoding/json"

// readPi reads a line of `pi --mode json`. Its exit status is 0 whatever the
// provider answered: the last message's stopReason tells.
func readPi(r *Reader, line []byte) {
	var l struct {
		Type    string          `json:"type"`
		ID      string          `json:"id"`
		Tool    string          `json:"toolName"`
		Args    json.RawMessage `json:"args"`
		IsError bool            `json:"isError"`
		Aborted bool            `json:"aborted"`
		Result  struct {
			Content content `json:"content"`
		} `json:"result"`
		Message struct {
			Role    string  `json:"role"`
			Model   string  `json:"model"`
			Content content `json:"content"`
			Stop    string  `json:"stopReason"`
			Error   string  `json:"errorMessage"`
			Usage   struct {
				Input  int64 `json:"input"`
				Output int64 `json:"output"`
				Read   int64 `json:"cacheRead"`
				Write  int64 `json:"cacheWrite"`
				Cost   struct {
					Total float64 `json:"total"`
				} `json:"cost"`
			} `json:"usage"`
		} `json:"message"`
	}
	if !decode(line, &l) {
		return
	}
	switch l.Type {
	case "session":
		r.started(l.ID, "")
	case "message_end":
		m := l.Message
		switch m.Role {
		case "user":
			r.asked(m.Content.text())
		case "assistant":
			r.started("", m.Model)
			r.uses(m.Usage.Input+m.Usage.Read+m.Usage.Write, m.Usage.Output, m.Usage.Cost.Total)
			r.whole()
			r.says(m.Content.text())
			r.fails(piFault(m.Stop, m.Error))
		}
	case "tool_execution_start":
		r.calls(l.Tool, l.Args)
	case "tool_execution_end":
		r.returned(!l.IsError, l.Result.Content.text())
	case "agent_settled":
		if l.Aborted && r.out.Fault == nil {
			r.fails(&Fault{Kind: Other, Message: "it was aborted"})
		}
		r.ends()
	}
}

func piFault(stop, message string) *Fault {
	switch stop {
	case "error":
		return classify(0, or(message, "it ended with an error"))
	case "aborted":
		return &Fault{Kind: Other, Message: "it was aborted"}
	case "length":
		return &Fault{Kind: Other, Message: "the reply is not complete: length"}
	}
	return nil
}
