package plan

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/streamgen/streamgen/spec/types"
)

// Formats are what Write can write.
var Formats = []string{"text", "json", "mermaid", "dot"}

// Write writes the plan for people or tools, in one of Formats.
func Write(w io.Writer, p *Plan, format string) error {
	switch format {
	case "text":
		Text(w, p)
	case "json":
		return JSON(w, p)
	case "mermaid":
		Mermaid(w, p)
	case "dot":
		Dot(w, p)
	default:
		return fmt.Errorf("unknown format %q: want one of %q", format, Formats)
	}
	return nil
}

type jsonPlan struct {
	App           string            `json:"app"`
	Package       string            `json:"package"`
	Guarantee     string            `json:"processing_guarantee"`
	CommitMillis  int64             `json:"commit_interval_ms"`
	SubTopologies []jsonSubTopology `json:"sub_topologies"`
	GlobalTables  []jsonGlobalTable `json:"global_tables,omitempty"`
	Topics        []jsonTopic       `json:"topics"`
	Stores        []jsonStore       `json:"stores"`
}

type jsonSubTopology struct {
	Name   string       `json:"name"`
	Blocks []string     `json:"blocks"`
	Reads  []jsonSource `json:"reads"`
	Stores []string     `json:"stores"`
	Global []string     `json:"global_tables,omitempty"` // the stores of those that it looks into
	Writes []string     `json:"writes"`
}

type jsonGlobalTable struct {
	Name  string     `json:"name"`
	Reads jsonSource `json:"reads"`
	Store string     `json:"store"`
}

type jsonSource struct {
	Origin  string   `json:"origin"`
	Topics  []string `json:"topics,omitempty"`
	Pattern string   `json:"pattern,omitempty"`
	Table   bool     `json:"table,omitempty"`
	Reads   []string `json:"reads"`            // fields; ["*"]: the whole value
	Checks  []string `json:"checks,omitempty"` // fields that are only checked
}

type jsonTopic struct {
	Name       string     `json:"name"`
	Kind       string     `json:"kind"`
	Origin     string     `json:"origin"`
	Key        string     `json:"key"`
	Value      string     `json:"value"`
	Partitions int        `json:"partitions,omitempty"`
	Like       []string   `json:"like,omitempty"`
	Reason     string     `json:"reason,omitempty"`
	Cause      *jsonCause `json:"cause,omitempty"`
}

type jsonCause struct {
	Text   string `json:"text"`
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

type jsonStore struct {
	Name        string `json:"name"`
	ID          int    `json:"id"`
	Origin      string `json:"origin"`
	Key         string `json:"key"`
	Value       string `json:"value"`
	Row         string `json:"row,omitempty"`       // if it is not the value
	Changelog   string `json:"changelog,omitempty"` // none of a global table
	Reuses      bool   `json:"reuses_source,omitempty"`
	Fingerprint string `json:"fingerprint"`
	Sub         string `json:"sub_topology,omitempty"` // none of a global table
	Emit        string `json:"emit,omitempty"`
	TTL         string `json:"ttl,omitempty"`
	Window      string `json:"window,omitempty"`
}

// JSON writes the plan as one JSON object.
func JSON(w io.Writer, p *Plan) error {
	out := jsonPlan{
		App: p.App, Package: p.Package, Guarantee: guarantee(p.Guarantee), CommitMillis: p.CommitInterval.Milliseconds(),
		SubTopologies: []jsonSubTopology{}, Topics: []jsonTopic{}, Stores: []jsonStore{},
	}
	for _, s := range p.SubTopologies {
		j := jsonSubTopology{Name: s.Name, Blocks: s.Blocks, Reads: []jsonSource{}, Stores: []string{}, Writes: topicNames(s.Writes)}
		for _, source := range s.Sources {
			j.Reads = append(j.Reads, source.json())
		}
		for _, st := range s.Stores {
			j.Stores = append(j.Stores, st.Name)
		}
		for _, g := range s.Globals {
			j.Global = append(j.Global, g.Name)
		}
		out.SubTopologies = append(out.SubTopologies, j)
	}
	for _, s := range p.GlobalTables {
		out.GlobalTables = append(out.GlobalTables, jsonGlobalTable{Name: s.Name, Reads: s.Sources[0].json(), Store: s.Stores[0].Name})
	}
	for _, t := range p.Topics {
		out.Topics = append(out.Topics, t.json())
	}
	for _, s := range p.Stores {
		j := jsonStore{
			Name: s.Name, ID: s.ID, Origin: s.Origin, Key: s.Key.String(), Value: s.Value.String(), Changelog: s.Changelog,
			Reuses: s.Reuses, Fingerprint: s.Fingerprint,
		}
		if s.Kind != GlobalRows {
			j.Sub = s.SubTopology.Name
		}
		if s.State != nil {
			j.Row = "{ " + s.State.Record.FieldList() + " }"
		}
		switch {
		case s.Kind == Suppressed:
			j.Emit = "suppress"
		case s.Final:
			j.Emit = "final"
		case s.Flush != nil:
			j.Emit = "updates"
		}
		if s.TTL > 0 {
			j.TTL = types.Length(s.TTL)
		}
		j.Window = s.windowText()
		out.Stores = append(out.Stores, j)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(out)
}

func (s *Source) json() jsonSource {
	j := jsonSource{Origin: s.Origin, Topics: topicNames(s.Topics), Pattern: s.Pattern, Table: s.Table, Reads: []string{}}
	for _, op := range s.Entry.Ops {
		if d, ok := op.(*Decode); ok {
			j.Reads, j.Checks = append(j.Reads, d.Fields...), d.Check
			if d.Out.Value.Typed && d.Fields == nil {
				j.Reads = []string{"*"}
			}
		}
	}
	return j
}

func (t *Topic) json() jsonTopic {
	j := jsonTopic{
		Name: t.Name, Kind: t.Kind.String(), Origin: t.Origin, Key: t.Key.String(), Value: t.Value.String(), Partitions: t.Partitions,
		Like: topicNames(t.Like), Reason: t.Reason,
	}
	if t.CauseText != "" {
		at := t.Cause.Start
		j.Cause = &jsonCause{Text: t.CauseText, File: baseName(t.Cause.File), Line: at.Line, Column: at.Column}
	}
	return j
}

func topicNames(topics []*Topic) []string {
	list := []string{}
	for _, t := range topics {
		list = append(list, t.Name)
	}
	return list
}

// String is the word for the kind.
func (k TopicKind) String() string { return [...]string{"", "input", "output", "repartition"}[k] }
