package plan

import (
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// formatsPass finds out which bytes are at hand behind each node: those of the record as it came, as long as the steps only
// forward key or value. A repartition takes a value that came unchanged in the format of its source, so that the bytes go
// through; else the engine's row format. Keys always lie in a natural format, so that they meet those of users' topics.
func (p *planner) formatsPass() {
	for _, n := range p.nodes {
		switch n.kind {
		case sourceNode:
			s := n.block.Source
			key, value := format(s.Key), format(s.Value)
			if n.block.HoldsRows() {
				value.Type = types.OptionalOf(value.Type) // a null deletes
			}
			n.rawKey, n.rawValue = &key, &value
		case repartitionNode:
			if l := n.repartition.link; l != nil {
				l.formats(n)
				break
			}
			in := n.in[0]
			key := naturalFormat(n.reader.Key)
			if in.rawKey != nil {
				key.Name, key.Inner, key.JSON = in.rawKey.Name, in.rawKey.Inner, in.rawKey.JSON
			}
			value := Format{Name: "row", Type: n.reader.Value}
			if in.rawValue != nil {
				value.Name, value.JSON = in.rawValue.Name, in.rawValue.JSON
			}
			n.rawKey, n.rawValue = &key, &value
		case mergeNode:
			n.rawKey, n.rawValue = n.in[0].rawKey, n.in[0].rawValue
			for _, m := range n.in[1:] {
				n.rawKey, n.rawValue = common(n.rawKey, m.rawKey), common(n.rawValue, m.rawValue)
			}
		case joinedNode:
			key := *n.in[0].sideKey()
			key.Type = n.reader.Key
			n.rawKey = &key
		default:
			n.rawKey, n.rawValue = n.in[0].rawKey, n.in[0].rawValue
			n.stepFormats()
		}
	}
}

// stepFormats is what a step leaves of the bytes that it was given.
func (n *node) stepFormats() {
	if n.stateful() && n.rawKey == nil { // the store's key was encoded
		key := naturalFormat(types.NonNull(n.in[0].reader.Key))
		n.rawKey = &key
	}
	if n.kind == updateNode && n.block.Window != nil { // the key of a row has its window
		in := n.rawKey
		n.rawKey = &Format{Name: "windowed", Inner: in.Name, Type: n.reader.Key, JSON: in.JSON}
	}
	if n.kind == rowNode || n.kind == joinNode || n.kind == answerNode {
		n.rawValue = nil
		return
	}
	switch s := n.step.(type) {
	case *model.GroupBy:
		if n.rawKey = nil; n.kind == groupNode {
			n.rawValue = nil
		}
	case *model.SelectKey:
		n.rawKey = nil
	case *model.Map:
		if s.Key != nil {
			n.rawKey = nil
		}
		if s.Value != nil {
			n.rawValue = nil
		}
	case *model.MapValues, *model.FlatMapValues:
		n.rawValue = nil
	case *model.FlatMap:
		if has(elements(s), "key") {
			n.rawKey = nil
		}
		if has(elements(s), "value") {
			n.rawValue = nil
		}
	case *model.Join, *model.GlobalJoin, *model.Count, *model.Aggregate, *model.Reduce, *model.Fold:
		n.rawValue = nil
	}
	if n.updates() {
		n.rawValue = nil // a row is all that is left at Flush
	}
}

// common is the format of bytes that are at hand whichever way a record came.
func common(a, b *Format) *Format {
	if a == nil || b == nil || !a.same(*b) {
		return nil
	}
	if types.IsOptional(b.Type) {
		return b
	}
	return a
}

// passes says whether bytes in the format are what f wants. Without bytes they are not.
func (have *Format) passes(f model.Format) bool { return have != nil && have.same(format(f)) }

func format(f model.Format) Format {
	return Format{Name: f.Name, Inner: f.Inner, Type: f.Type, JSON: f.JSON}
}

// naturalFormat is the format of a key of type t that no topic of a user gave one.
func naturalFormat(t types.Type) Format {
	f := Format{Name: natural(t), Type: t}
	if w, ok := types.WindowedOf(t); ok {
		f.Name, f.Inner = "windowed", natural(w.Key)
	}
	return f
}

// natural is the format of a key that no topic of a user gave one.
func natural(t types.Type) string {
	if name, ok := types.NaturalFormat(t); ok {
		return name
	}
	if _, ok := types.NonNull(t).(*types.Record); ok {
		return "json"
	}
	return "row"
}
