package diag

import (
	"cmp"
	"fmt"
	"path"
	"slices"
)

// List collects diagnostics. The zero value is ready to use. It is not safe for concurrent use.
type List []*Diagnostic

// Add appends d and returns it.
func (l *List) Add(d *Diagnostic) *Diagnostic {
	*l = append(*l, d)
	return d
}

// Errorf adds an error. The result is there to hang a detail, a hint or a related place on.
func (l *List) Errorf(code string, at Range, format string, args ...any) *Diagnostic {
	return l.Add(&Diagnostic{Code: code, Severity: Error, Summary: sprintf(format, args), Range: at})
}

// Warnf adds a warning.
func (l *List) Warnf(code string, at Range, format string, args ...any) *Diagnostic {
	return l.Add(&Diagnostic{Code: code, Severity: Warning, Summary: sprintf(format, args), Range: at})
}

// Append adds all of other.
func (l *List) Append(other List) { *l = append(*l, other...) }

// HasErrors tells whether a build must stop.
func (l List) HasErrors() bool { return l.Errors() > 0 }

// Errors counts the errors.
func (l List) Errors() int { return l.count(Error) }

// Warnings counts the warnings.
func (l List) Warnings() int { return l.count(Warning) }

func (l List) count(s Severity) int {
	n := 0
	for _, d := range l {
		if d.Severity == s {
			n++
		}
	}
	return n
}

// Sort orders by place (app.hcl first, then files by name, then line and column), errors and warnings mixed, and drops
// what is said twice of one place.
func (l *List) Sort() {
	slices.SortStableFunc(*l, compare)
	*l = slices.CompactFunc(*l, func(a, b *Diagnostic) bool {
		return a.Code == b.Code && a.Range == b.Range && a.Summary == b.Summary
	})
}

func compare(a, b *Diagnostic) int {
	return cmp.Or(
		CompareFiles(a.Range.File, b.Range.File),
		cmp.Compare(a.Range.Start.Byte, b.Range.Start.Byte),
		cmp.Compare(a.Range.Start.Line, b.Range.Start.Line),
		cmp.Compare(a.Range.End.Byte, b.Range.End.Byte),
		cmp.Compare(a.Severity, b.Severity),
		cmp.Compare(a.Code, b.Code),
		cmp.Compare(a.Summary, b.Summary),
	)
}

// CompareFiles orders the files of a program: app.hcl first, the others by name. Diagnostics without a file come before all.
func CompareFiles(a, b string) int {
	rank := func(f string) int {
		switch {
		case f == "":
			return 0
		case path.Base(f) == "app.hcl":
			return 1
		default:
			return 2
		}
	}
	return cmp.Or(cmp.Compare(path.Dir(a), path.Dir(b)), cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
}

// WithDetail says why.
func (d *Diagnostic) WithDetail(format string, args ...any) *Diagnostic {
	d.Detail = sprintf(format, args)
	return d
}

// WithHint says what to write instead.
func (d *Diagnostic) WithHint(format string, args ...any) *Diagnostic {
	d.Hint = sprintf(format, args)
	return d
}

// WithRelated adds a second place.
func (d *Diagnostic) WithRelated(at Range, format string, args ...any) *Diagnostic {
	d.Related = append(d.Related, Related{Range: at, Text: sprintf(format, args)})
	return d
}

// sprintf leaves a text without arguments as it is, so that a percent sign in it needs no doubling.
func sprintf(format string, args []any) string {
	if len(args) == 0 {
		return format
	}
	return fmt.Sprintf(format, args...)
}

// String is the word for the severity.
func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	default:
		return fmt.Sprintf("severity(%d)", uint8(s))
	}
}

// String is file:line:column, or only the file where there is no line.
func (r Range) String() string {
	if r.Start.Line == 0 {
		return r.File
	}
	return fmt.Sprintf("%s:%d:%d", r.File, r.Start.Line, r.Start.Column)
}
