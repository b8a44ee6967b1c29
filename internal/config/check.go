package config

import (
	"fmt"
	"slices"
	"strings"
)

// finish checks what no single key can tell, and works out what follows from
// several.
func (l *loader) finish(inGo []string) {
	c := &l.config
	if c.Window.Summary < c.Window.Full {
		key := "window.summary"
		if c.origins[key].Kind == FromDefault {
			key = "window.full"
		}
		l.add(&Problem{At: c.origins[key], Key: key, Message: fmt.Sprintf(
			"summary (%d) is smaller than full (%d); write window: {full: %d, summary: %d} or more", c.Window.Summary, c.Window.Full, c.Window.Full, c.Window.Full)})
	}
	if c.Isolation == None && c.Jobs != 1 {
		c.Jobs = 1
		c.origins["jobs"] = Origin{Name: "isolation: none"}
	}
	l.checkPrepareKey()
	if len(c.LandingCheck) > 0 && c.Reverify != Always {
		l.add(&Problem{At: c.origins["landing_check"], Key: "landing_check", Message: fmt.Sprintf(
			"has no effect on trees that are not verified again; write reverify: always, not %s, or take it out", c.Reverify)})
	}
	for _, name := range c.names() {
		l.checkExecutor(name)
	}
	l.checkStage("stages.builder", c.Stages.Builder, inGo)
	l.checkStage("stages.verifier", c.Stages.Verifier, inGo)
	if c.Stages.Reverifier != "" {
		l.checkStage("stages.reverifier", c.Stages.Reverifier, inGo)
	}
}

func (l *loader) checkStage(key, name string, inGo []string) {
	c := &l.config
	if _, ok := c.Executors[name]; ok || slices.Contains(inGo, name) {
		return
	}
	known := append(c.names(), inGo...)
	slices.Sort(known)
	l.add(&Problem{At: c.origins[key], Key: key, Message: fmt.Sprintf(
		"there is no executor %q; add it under executors:, or name one of %s", clip(name), strings.Join(slices.Compact(known), ", "))})
}

// checkExecutor also fills in the executor's timeouts.
func (l *loader) checkExecutor(name string) {
	c := &l.config
	path := "executors." + name
	e := c.Executors[name]
	kind := e.Kind()
	if kind == "" {
		l.add(&Problem{At: c.origins[path], Key: path, Message: "write exactly one of command: [argv…], agent: NAME, script: true, checks: true"})
		return
	}
	for _, k := range misfits(kind) {
		if at, said := c.origins[path+"."+k]; said {
			l.add(&Problem{At: at, Key: path + "." + k, Message: fmt.Sprintf("means nothing to an executor that is a %s; take it out", kind)})
		}
	}
	if kind == "command" && e.Reply != JSON {
		for _, k := range []string{"retries", "gates", "fresh", "prompts"} {
			if at, said := c.origins[path+"."+k]; said {
				l.add(&Problem{At: at, Key: path + "." + k, Message: "is for agents: a command that writes XML is not asked again; write reply: json, or take it out"})
			}
		}
	}
	for _, other := range e.Fallback {
		if _, ok := c.Executors[other]; !ok || other == name {
			l.add(&Problem{At: c.origins[path+".fallback"], Key: path + ".fallback", Message: fmt.Sprintf("there is no other executor %q", clip(other))})
		}
	}
	if _, said := c.origins[path+".timeout"]; !said {
		e.Timeout = c.Timeout
	}
	if _, said := c.origins[path+".idle_timeout"]; !said && (kind == "agent" || c.origins["idle_timeout"].Kind != FromDefault) {
		e.IdleTimeout = c.IdleTimeout
	}
	if e.Reply == "" {
		e.Reply = XML
	}
	if _, said := c.origins[path+".retries"]; !said && (kind == "agent" || e.Reply == JSON) {
		e.Retries = 1
	}
	c.Executors[name] = e
}

// misfits are the keys that an executor of a kind has no use for.
func misfits(kind string) []string {
	switch kind {
	case "script", "checks":
		return []string{"args", "reply", "model", "retries", "gates", "fresh", "fallback", "sandbox", "prompts"}
	case "command":
		return []string{"model", "sandbox"}
	}
	return nil
}
