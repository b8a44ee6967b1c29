package view

// Style is how text is laid out. The zero value is 80 columns without colour.
type Style struct {
	Width int  // columns; 0 means 80
	Color bool // for a terminal whose user has not asked for plain text
}

func (s Style) width() int {
	if s.Width > 0 {
		return s.Width
	}
	return 80
}

// hue is a terminal attribute; "" leaves text as it is.
type hue string

const (
	plainHue hue = ""
	bold     hue = "1"
	dim      hue = "2"
	red      hue = "31"
	green    hue = "32"
	yellow   hue = "33"
	cyan     hue = "36"
)

// paint colours text that is already cut and padded: the attributes take no
// columns of their own.
func (s Style) paint(h hue, text string) string {
	if !s.Color || h == plainHue || text == "" {
		return text
	}
	return "\x1b[" + string(h) + "m" + text + "\x1b[0m"
}
