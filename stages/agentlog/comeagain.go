package agentlog

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// now is the time that faults are counted from.
func now() time.Time { return time.Now() }

// mostWait bounds the wait that a provider can ask for.
const mostWait = 31 * 24 * time.Hour

var (
	atEpoch    = regexp.MustCompile(`(?i)(?:reset[a-z_ ]*["':=\s]*|\|)([0-9]{10})(?:[0-9]{3})?(?:[^0-9]|$)`)
	atTime     = regexp.MustCompile(`(?i)(?:reset|again|until|after)[a-z_ ]*["':=\s]*([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(?:Z|[+-][0-9]{2}:[0-9]{2}))`)
	atClock    = regexp.MustCompile(`(?i)(?:resets?|again)\s+(?:at\s+)?(?:([A-Z][a-z]{2})[a-z]* ([0-9]{1,2})(?:st|nd|rd|th)?,? ([0-9]{4}),? )?([0-9]{1,2})(?::([0-9]{2}))?\s*([ap]m)(?:\s*\(?(UTC)\)?)?`)
	inSpan     = regexp.MustCompile(`(?i)(?:again|retry|retrying|reset|resets|available)\s+(?:in|after)\s+((?:[0-9]+(?:\.[0-9]+)?\s*[a-z]+[\s,]*(?:and\s+)?)+)`)
	retryAfter = regexp.MustCompile(`(?i)retry[-_ ]?(?:after|delay)["':=\s]+([0-9]+(?:\.[0-9]+)?)\s*(ms|s|m|h)?`)
	oneSpan    = regexp.MustCompile(`(?i)([0-9]+(?:\.[0-9]+)?)\s*([a-z]+)`)
)

// comeAgain reads when a provider wants to be asked again: a time, or a span
// from now. Both are zero if it does not say.
func comeAgain(message string, now time.Time) (time.Time, time.Duration) {
	if m := inSpan.FindStringSubmatch(message); m != nil {
		if d := spans(m[1]); d > 0 {
			return time.Time{}, d
		}
	}
	if m := retryAfter.FindStringSubmatch(message); m != nil {
		return time.Time{}, span(m[1], or(m[2], "s"))
	}
	if m := atEpoch.FindStringSubmatch(message); m != nil {
		seconds, _ := strconv.ParseInt(m[1], 10, 64) // ten digits
		return bounded(epoch(seconds), now), 0
	}
	if m := atTime.FindStringSubmatch(message); m != nil {
		if t, err := time.Parse(time.RFC3339, m[1]); err == nil {
			return bounded(t, now), 0
		}
	}
	if m := atClock.FindStringSubmatch(message); m != nil {
		return bounded(clock(m, now), now), 0
	}
	return time.Time{}, 0
}

func epoch(seconds int64) time.Time {
	if seconds <= 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}

func bounded(t, now time.Time) time.Time {
	if most := now.Add(mostWait); t.After(most) {
		return most
	}
	return t
}

// spans sums "1m30s" and "3 days 4 hours 5 minutes".
func spans(s string) time.Duration {
	var sum time.Duration
	for _, m := range oneSpan.FindAllStringSubmatch(s, 10) {
		sum = min(sum+span(m[1], m[2]), mostWait)
	}
	return sum
}

func span(number, unit string) time.Duration {
	n, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0
	}
	per := time.Duration(0)
	switch u := strings.ToLower(unit); {
	case u == "ms" || strings.HasPrefix(u, "milli"):
		per = time.Millisecond
	case strings.HasPrefix(u, "s"):
		per = time.Second
	case strings.HasPrefix(u, "m"):
		per = time.Minute
	case strings.HasPrefix(u, "h"):
		per = time.Hour
	case strings.HasPrefix(u, "d"):
		per = 24 * time.Hour
	}
	return time.Duration(min(n*float64(per), float64(mostWait)))
}

// clock reads "3pm" and "Dec 5th, 2026 3:04 PM": without a date the next time
// that a clock shows it.
func clock(m []string, now time.Time) time.Time {
	zone := now.Location()
	if m[7] != "" {
		zone = time.UTC
	}
	hour, _ := strconv.Atoi(m[4])
	minute, _ := strconv.Atoi(m[5])
	hour %= 12
	if strings.EqualFold(m[6], "pm") {
		hour += 12
	}
	if m[1] != "" {
		day, err := time.ParseInLocation("Jan 2 2006", m[1]+" "+m[2]+" "+m[3], zone)
		if err != nil {
			return time.Time{}
		}
		return day.Add(time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute)
	}
	here := now.In(zone)
	t := time.Date(here.Year(), here.Month(), here.Day(), hour, minute, 0, 0, zone)
	if !t.After(now) {
		t = t.AddDate(0, 0, 1)
	}
	return t
}
