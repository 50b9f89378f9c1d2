package syntax

import (
	"bytes"
	"fmt"
	"sort"
	"unicode/utf8"

	"github.com/streamgen/streamgen/spec/diag"
)

// source is a file as positions see it: without a byte order mark, lines ending in \n.
type source struct {
	name  string
	text  []byte
	lines []int // offset of the first byte of each line
}

const bom = "\xef\xbb\xbf"

// newSource takes away what differs between editors and says nothing (a leading byte order mark, carriage returns before line
// feeds), and refuses what cannot be seen or read.
func newSource(name string, src []byte, diags *diag.List) *source {
	s := &source{name: name}
	src = bytes.TrimPrefix(src, []byte(bom))
	src = bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))
	s.text = src
	s.lines = append(s.lines, 0)
	for i, b := range src {
		if b == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	if wide := wideEncoding(src); wide != "" {
		diags.Errorf("SG1002", s.at(0, 0), "the file is %s, not UTF-8", wide).WithHint("save it as UTF-8")
		return s
	}
	for i := 0; i < len(src); {
		r, n := rune(src[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(src[i:])
		}
		switch {
		case r == utf8.RuneError && n == 1:
			diags.Errorf("SG1002", s.at(i, i+1), "the byte 0x%02x is not UTF-8", src[i]).WithHint("save the file as UTF-8")
			return s // the rest of a file in another encoding would say the same
		case r == '\ufeff':
			diags.Errorf("SG1002", s.at(i, i+n), "a byte order mark in the middle of the file").
				WithDetail("It is invisible and belongs at the very beginning, or nowhere.").
				WithHint("delete it; it is between the characters to the left and right of this place")
		case invisible(r):
			diags.Errorf("SG1003", s.at(i, i+n), "the invisible character %s", charName(r)).
				WithDetail("It makes the text look different from what it says.").
				WithHint(`delete it, or write it in a string as "\u%04x"`, r)
		}
		i += n
	}
	return s
}

// wideEncoding guesses UTF-16 and UTF-32 from their byte order marks or the zeros that ASCII text has in them.
func wideEncoding(src []byte) string {
	switch {
	case bytes.HasPrefix(src, []byte{0xff, 0xfe, 0, 0}), bytes.HasPrefix(src, []byte{0, 0, 0xfe, 0xff}):
		return "UTF-32"
	case bytes.HasPrefix(src, []byte{0xff, 0xfe}), bytes.HasPrefix(src, []byte{0xfe, 0xff}):
		return "UTF-16"
	case len(src) >= 4 && (src[0] == 0) != (src[1] == 0) && (src[0] == 0) == (src[2] == 0) && (src[1] == 0) == (src[3] == 0):
		return "UTF-16"
	}
	return ""
}

// invisible tells control characters, and those that change the direction of the text around them.
func invisible(r rune) bool {
	switch {
	case r == '\t' || r == '\n':
		return false
	case r < 0x20 || r >= 0x7f && r < 0xa0:
		return true
	case r == 0x061c, r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	case r == 0x200b, r == 0x2060, r == 0x2028, r == 0x2029:
		return true
	}
	return false
}

func charName(r rune) string {
	names := map[rune]string{
		0: "NUL", '\r': "carriage return", 0x7f: "delete", 0x200b: "zero width space", 0x2028: "line separator",
		0x2029: "paragraph separator", 0x202e: "right-to-left override", 0x202d: "left-to-right override", 0x2060: "word joiner",
	}
	if n := names[r]; n != "" {
		return fmt.Sprintf("U+%04X (%s)", r, n)
	}
	return fmt.Sprintf("U+%04X", r)
}

// at is the range between two offsets.
func (s *source) at(start, end int) diag.Range {
	return diag.Range{File: s.name, Start: s.pos(start), End: s.pos(end)}
}

func (s *source) pos(offset int) diag.Pos {
	offset = max(0, min(offset, len(s.text)))
	line := sort.SearchInts(s.lines, offset+1) - 1
	return diag.Pos{Line: line + 1, Column: offset - s.lines[line] + 1, Byte: offset}
}

// indent is the width of the white space that the line of an offset begins with.
func (s *source) indent(offset int) int {
	line := s.text[s.lines[s.pos(offset).Line-1]:]
	n := 0
	for n < len(line) && (line[n] == ' ' || line[n] == '\t') {
		n++
	}
	return n
}
