package diag

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// jsonDiagnostic is the form of WriteJSON; its names are an interface to other tools.
type jsonDiagnostic struct {
	Code     string        `json:"code"`
	Severity string        `json:"severity"`
	Summary  string        `json:"summary"`
	Detail   string        `json:"detail,omitempty"`
	Hint     string        `json:"hint,omitempty"`
	Range    *jsonRange    `json:"range,omitempty"`
	Related  []jsonRelated `json:"related,omitempty"`
}

type jsonRange struct {
	File  string   `json:"file"`
	Start *jsonPos `json:"start,omitempty"`
	End   *jsonPos `json:"end,omitempty"`
}

type jsonPos struct {
	Line   int `json:"line"`
	Column int `json:"column"`
	Byte   int `json:"byte"`
}

type jsonRelated struct {
	Text  string     `json:"text"`
	Range *jsonRange `json:"range"`
}

// WriteJSON writes a list as one object, {"diagnostics": […]}.
func WriteJSON(w io.Writer, l List) error {
	out := struct {
		Diagnostics []jsonDiagnostic `json:"diagnostics"`
	}{Diagnostics: []jsonDiagnostic{}}
	for _, d := range l {
		j := jsonDiagnostic{
			Code: d.Code, Severity: d.Severity.String(), Summary: d.Summary, Detail: d.Detail, Hint: d.Hint, Range: toJSON(d.Range),
		}
		for _, r := range d.Related {
			j.Related = append(j.Related, jsonRelated{Text: r.Text, Range: toJSON(r.Range)})
		}
		out.Diagnostics = append(out.Diagnostics, j)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(out)
}

func toJSON(r Range) *jsonRange {
	if r.File == "" {
		return nil
	}
	j := &jsonRange{File: r.File}
	if r.Start.Line > 0 {
		j.Start = &jsonPos{r.Start.Line, r.Start.Column, r.Start.Byte}
		j.End = &jsonPos{r.End.Line, r.End.Column, r.End.Byte}
	}
	return j
}

// WriteGitHub writes a list as workflow commands, which GitHub shows beside the lines of a pull request.
func WriteGitHub(w io.Writer, l List) error {
	for _, d := range l {
		var at strings.Builder
		if d.Range.File != "" {
			fmt.Fprintf(&at, "file=%s,", property(d.Range.File))
		}
		if d.Range.Start.Line > 0 {
			fmt.Fprintf(&at, "line=%d,col=%d,endLine=%d,endColumn=%d,",
				d.Range.Start.Line, d.Range.Start.Column, d.Range.End.Line, d.Range.End.Column)
		}
		text := d.Summary
		if d.Detail != "" {
			text += "\n" + d.Detail
		}
		if d.Hint != "" {
			text += "\nhint: " + d.Hint
		}
		for _, r := range d.Related {
			text += "\n" + r.Range.String() + ": " + r.Text
		}
		if _, err := fmt.Fprintf(w, "::%s %stitle=%s::%s\n", d.Severity, at.String(), property(d.Code), message(text)); err != nil {
			return err
		}
	}
	return nil
}

func message(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func property(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
