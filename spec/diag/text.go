package diag

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Sources gives the text of a file by the name that ranges use, or nil.
type Sources func(file string) []byte

// TextOptions are how WriteText writes. The zero value is plain text without source lines.
type TextOptions struct {
	Color   bool
	Sources Sources // to show the line a diagnostic speaks of
}

// WriteText writes a list for people:
//
//	app.hcl:12:5: error[SG1302]: note may be null
//	   12 |   value = value.note + "!"
//	      |           ^^^^^^^^^^
//	   hint: `coalesce(value.note, "")`
func WriteText(w io.Writer, l List, o TextOptions) error {
	t := &textWriter{TextOptions: o, w: w}
	for i, d := range l {
		if i > 0 {
			t.printf("\n")
		}
		t.diagnostic(d)
	}
	return t.err
}

type textWriter struct {
	TextOptions
	w   io.Writer
	err error
}

const (
	bold   = "\x1b[1m"
	red    = "\x1b[1;31m"
	yellow = "\x1b[1;33m"
	cyan   = "\x1b[36m"
	reset  = "\x1b[0m"
)

func (t *textWriter) printf(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, format, args...)
	}
}

func (t *textWriter) paint(color, s string) string {
	if !t.Color || s == "" {
		return s
	}
	return color + s + reset
}

func (t *textWriter) diagnostic(d *Diagnostic) {
	color := red
	if d.Severity == Warning {
		color = yellow
	}
	if place := d.Range.String(); place != "" {
		t.printf("%s ", t.paint(bold, place+":"))
	}
	t.printf("%s: %s\n", t.paint(color, fmt.Sprintf("%s[%s]", d.Severity, d.Code)), t.paint(bold, printable(d.Summary)))
	t.snippet(d.Range, color)
	for _, line := range lines(d.Detail) {
		t.printf("   %s\n", line)
	}
	for i, line := range lines(d.Hint) {
		if i == 0 {
			t.printf("   %s %s\n", t.paint(cyan, "hint:"), line)
		} else {
			t.printf("         %s\n", line)
		}
	}
	for _, r := range d.Related {
		t.printf("   %s %s\n", t.paint(bold, r.Range.String()+":"), printable(r.Text))
		t.snippet(r.Range, cyan)
	}
}

func lines(s string) []string {
	if s == "" {
		return nil
	}
	var out []string
	for line := range strings.SplitSeq(strings.TrimSuffix(s, "\n"), "\n") {
		out = append(out, printable(line))
	}
	return out
}

// snippet shows the first line of a range, underlined.
func (t *textWriter) snippet(r Range, color string) {
	if t.Sources == nil || r.Start.Line == 0 {
		return
	}
	src := t.Sources(r.File)
	if src == nil || r.Start.Byte > len(src) {
		return
	}
	start := bytes.LastIndexByte(src[:r.Start.Byte], '\n') + 1
	end := len(src)
	if i := bytes.IndexByte(src[r.Start.Byte:], '\n'); i >= 0 {
		end = r.Start.Byte + i
	}
	from := r.Start.Byte - start
	to := min(max(r.End.Byte, r.Start.Byte+1), end) - start
	line, from, to := crop(string(src[start:end]), from, max(to, from))

	before, marked, after := expand(line[:from], 0), "", ""
	marked = expand(line[from:to], columns(before))
	after = expand(line[to:], columns(before)+columns(marked))
	number := fmt.Sprint(r.Start.Line)
	t.printf(" %4s | %s\n", number, before+marked+after)
	t.printf(" %s | %s%s\n", strings.Repeat(" ", max(4, len(number))), strings.Repeat(" ", columns(before)),
		t.paint(color, strings.Repeat("^", max(1, columns(marked)))))
}

// maxLine is how much of a long line is shown, in bytes.
const maxLine = 160

// crop cuts a long line down to the surroundings of its marked part.
func crop(line string, from, to int) (string, int, int) {
	if len(line) <= maxLine {
		return line, from, to
	}
	start := max(0, from-maxLine/2)
	end := min(len(line), start+maxLine)
	for start > 0 && !utf8.RuneStart(line[start]) {
		start--
	}
	for end < len(line) && !utf8.RuneStart(line[end]) {
		end++
	}
	head, tail := "", ""
	if start > 0 {
		head = "…"
	}
	if end < len(line) {
		tail = "…"
	}
	shift := len(head) - start
	return head + line[start:end] + tail, from + shift, min(to, end) + shift
}

// tab is how far apart the stops are that a tab goes to.
const tab = 4

// expand makes s printable, with tabs as spaces, if it begins at a column.
func expand(s string, column int) string {
	var b strings.Builder
	for _, r := range s {
		if r != '\t' {
			r = visible(r)
			b.WriteRune(r)
			column += runeColumns(r)
			continue
		}
		n := tab - column%tab
		b.WriteString(strings.Repeat(" ", n))
		column += n
	}
	return b.String()
}

func columns(s string) int {
	n := 0
	for _, r := range s {
		n += runeColumns(r)
	}
	return n
}

func runeColumns(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	default:
		return 1
	}
}

// printable replaces what could move the cursor or turn the direction of the terminal's text.
func printable(s string) string { return strings.Map(visible, s) }

func visible(r rune) rune {
	if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' {
		return unicode.ReplacementChar
	}
	return r
}
