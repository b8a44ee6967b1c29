package view

import (
	"fmt"
	"time"
)

// took prints how long something took, in at most seven columns: "0.4s",
// "12.3s", "2m03s", "1h02m", "3d04h".
func took(d time.Duration) string {
	d = max(d, 0)
	switch {
	case d < 59950*time.Millisecond:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d.Round(time.Second) < time.Hour:
		d = d.Round(time.Second)
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	case d.Round(time.Minute) < 24*time.Hour:
		d = d.Round(time.Minute)
		return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
	}
	d = d.Round(time.Hour)
	return fmt.Sprintf("%dd%02dh", d/(24*time.Hour), d%(24*time.Hour)/time.Hour)
}

// inAll is took for a whole run, where tenths of a second matter only while
// there are few seconds.
func inAll(d time.Duration) string {
	if d >= 10*time.Second && d < 59500*time.Millisecond {
		return fmt.Sprintf("%.0fs", d.Seconds())
	}
	return took(d)
}

// onClock prints a time that is still running: "0:31", "2:03", "1:02:03".
func onClock(d time.Duration) string {
	s := int(max(d, 0) / time.Second)
	if s < 3600 {
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// ago prints how long before now something was, roughly.
func ago(then, now time.Time) string {
	d := now.Sub(then)
	switch {
	case then.IsZero():
		return ""
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh ago", d/time.Hour)
	}
	return fmt.Sprintf("%dd ago", d/(24*time.Hour))
}
