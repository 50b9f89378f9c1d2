package syntax

import (
	"bytes"

	"github.com/hashicorp/hcl/v2/hclwrite"

	"github.com/streamgen/streamgen/spec/diag"
)

// Format writes a file in the one form: HCL's spacing and alignment, attributes above blocks, no more than one blank line.
// Comments and heredocs keep their bytes; comments directly above an attribute or behind it move with it. Line ends are those of
// the first line. The meaning is that of src, and formatting again changes nothing. name is how positions call the file.
//
// A file with syntax errors is not formatted: the result is nil. Mistakes of a later stage do not matter.
func Format(name string, src []byte) ([]byte, diag.List) {
	f, diags := ParseFile(name, src)
	if unreadable(diags) {
		return nil, diags
	}
	out := f.Source
	for range maxRounds { // moving lines lets others be aligned
		next := round(out)
		if next == nil || bytes.Equal(next, out) {
			break
		}
		out = next
	}
	if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		out = bytes.ReplaceAll(out, []byte("\n"), []byte("\r\n"))
	}
	return out, nil
}

const maxRounds = 8

// round formats once. It gives nil where the result would not say the same: a formatter must never be the reason of that.
func round(src []byte) []byte {
	out := hclwrite.Format(tidy(lift(src)))
	before, ds := ParseFile("", src)
	after, ds2 := ParseFile("", out)
	if unreadable(ds) || unreadable(ds2) ||
		Dump(&Program{Files: []*File{before}}) != Dump(&Program{Files: []*File{after}}) {
		return nil
	}
	return out
}

// unreadable tells syntax errors from mistakes that leave the tree whole.
func unreadable(diags diag.List) bool {
	for _, d := range diags {
		switch d.Code {
		case "SG1007", "SG1009", "SG1010":
		default:
			return true
		}
	}
	return false
}
