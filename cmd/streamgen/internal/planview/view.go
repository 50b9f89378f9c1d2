// Package planview shows a plan to people and tools: as text, JSON, or a drawing in Mermaid or Graphviz.
package planview

import (
	"fmt"
	"time"

	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
)

// View is what there is to see of a plan. Its JSON form is an interface to other tools.
type View struct {
	App            string        `json:"app"`
	Description    string        `json:"description,omitempty"`
	Guarantee      string        `json:"processing_guarantee"`
	CommitInterval string        `json:"commit_interval"`
	SubTopologies  []SubTopology `json:"sub_topologies"`
	Topics         []Topic       `json:"topics"`
	Stores         []Store       `json:"stores"`
}

// SubTopology is a part that runs as one task for each partition.
type SubTopology struct {
	Name   string   `json:"name"`
	Blocks []string `json:"blocks"`
	Steps  []string `json:"steps"`
	Reads  []Read   `json:"reads"`
	Writes []string `json:"writes"`
	Stores []string `json:"stores"`
}

// Read is an input of a sub-topology.
type Read struct {
	Origin  string   `json:"origin"`
	Topics  []string `json:"topics,omitempty"`
	Pattern string   `json:"pattern,omitempty"`
	Table   bool     `json:"table"`
}

// Topic is a topic with what it is to the program.
type Topic struct {
	Name       string   `json:"name"`
	Kind       string   `json:"kind"`
	Origin     string   `json:"origin"`
	Key        string   `json:"key"`
	Value      string   `json:"value"`
	Partitions int      `json:"partitions,omitempty"`    // fixed by the spec
	Like       []string `json:"partitions_as,omitempty"` // as many as the one of these with the most
	Reason     string   `json:"reason,omitempty"`
	Cause      string   `json:"cause,omitempty"`
	At         string   `json:"at,omitempty"` // file:line:column of the cause
}

// Store is a store with its changelog.
type Store struct {
	Name        string `json:"name"`
	Origin      string `json:"origin"`
	SubTopology string `json:"sub_topology"`
	Key         string `json:"key"`
	Value       string `json:"value"`
	Changelog   string `json:"changelog"`
}

// Of makes the view of a plan. Nothing in it is nil where JSON has a list.
func Of(p *plan.Plan) *View {
	v := &View{
		App: p.App, Description: p.Description, Guarantee: guarantee(p.Guarantee), CommitInterval: interval(p.CommitInterval),
		SubTopologies: []SubTopology{}, Topics: []Topic{}, Stores: []Store{},
	}
	for _, s := range p.SubTopologies {
		v.SubTopologies = append(v.SubTopologies, subTopology(s))
	}
	for _, t := range p.Topics {
		v.Topics = append(v.Topics, topic(t))
	}
	for _, s := range p.Stores {
		v.Stores = append(v.Stores, Store{
			Name: s.Name, Origin: s.Origin, SubTopology: s.SubTopology.Name,
			Key: s.Key.String(), Value: s.Value.String(), Changelog: s.Changelog,
		})
	}
	return v
}

func guarantee(g model.Guarantee) string {
	if g == model.ExactlyOnce {
		return "exactly_once_v2"
	}
	return "at_least_once"
}

func interval(d time.Duration) string {
	if d == 0 {
		return "100ms"
	}
	return d.String()
}

func subTopology(s *plan.SubTopology) SubTopology {
	out := SubTopology{Name: s.Name, Blocks: append([]string{}, s.Blocks...), Steps: steps(s), Reads: []Read{}, Writes: []string{}, Stores: []string{}}
	for _, src := range s.Sources {
		r := Read{Origin: src.Origin, Pattern: src.Pattern, Table: src.Table}
		for _, t := range src.Topics {
			r.Topics = append(r.Topics, t.Name)
		}
		out.Reads = append(out.Reads, r)
	}
	for _, t := range s.Writes {
		out.Writes = append(out.Writes, t.Name)
	}
	for _, st := range s.Stores {
		out.Stores = append(out.Stores, st.Name)
	}
	return out
}

// steps are the addresses of the steps that a sub-topology runs, as they stand in its functions.
func steps(s *plan.SubTopology) []string {
	out := []string{}
	seen := map[string]bool{}
	for _, f := range s.Funcs {
		for _, op := range f.Ops {
			step := op.Base().Step
			if step == nil {
				continue
			}
			if a := step.Base().Address; !seen[a] {
				seen[a] = true
				out = append(out, a)
			}
		}
	}
	return out
}

func topic(t *plan.Topic) Topic {
	out := Topic{
		Name: t.Name, Kind: kind(t.Kind), Origin: t.Origin, Key: t.Key.String(), Value: t.Value.String(), Partitions: t.Partitions,
		Reason: t.Reason, Cause: t.CauseText,
	}
	for _, l := range t.Like {
		out.Like = append(out.Like, l.Name)
	}
	if t.Cause != (diag.Range{}) {
		out.At = t.Cause.String()
	}
	return out
}

func kind(k plan.TopicKind) string {
	switch k {
	case plan.Input:
		return "input"
	case plan.Output:
		return "output"
	case plan.Repartition:
		return "repartition"
	default:
		return fmt.Sprintf("kind %d", k)
	}
}
