package plan

import (
	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// change says where a key changed: from there on equal keys may lie in different partitions, until records pass a topic that
// is partitioned by the new key.
type change struct {
	at   diag.Range
	text string // "select_key: value.customer_id"
}

// keysPass marks what leaves each node with another key than that by which its topic is partitioned. A step that works on state
// by key ends the mark: it runs where equal keys are together, behind a repartition if need be.
func (p *planner) keysPass() {
	for _, n := range p.nodes {
		n.change = nil
		if n.read() || n.stateful() {
			continue
		}
		for _, m := range n.in {
			if m.change != nil {
				n.change = m.change
				break
			}
		}
		if c := changes(n.step); c != nil {
			n.change = c
		}
	}
}

// changes is the change that a step makes, or nil.
func changes(s model.Step) *change {
	switch s := s.(type) {
	case *model.SelectKey:
		if !keepsKey(s.Key) {
			return &change{at: s.Pos, text: "select_key: " + text(s.Key)}
		}
	case *model.GroupBy:
		if !keepsKey(s.Key) {
			return &change{at: s.Pos, text: "group_by: " + text(s.Key)}
		}
	case *model.FlatMap:
		if has(elements(s), "key") {
			return &change{at: s.Pos, text: "flat_map"}
		}
	case *model.Map:
		if s.Key != nil && !keepsKey(s.Key) {
			return &change{at: s.Pos, text: "map: " + text(s.Key)}
		}
	}
	return nil
}

// keepsKey says whether an expression for a key is the key as it is. An optional around it does not change its bytes.
func keepsKey(e model.Expr) bool { return isRoot(e, model.RootKey) }

// isRoot says whether an expression is nothing but a name of the scope, whatever its optional.
func isRoot(e model.Expr, root model.Root) bool {
	switch e := e.(type) {
	case *model.Var:
		return e.Root == root
	case *model.Unwrap:
		return isRoot(e.X, root)
	case *model.Wrap:
		return isRoot(e.X, root)
	}
	return false
}

// text is an expression as a spec has it, as far as a plan needs to say it: paths are written out.
func text(e model.Expr) string {
	switch e := e.(type) {
	case *model.Var:
		switch e.Root {
		case model.RootKey:
			return "key"
		case model.RootValue:
			return "value"
		case model.RootTimestamp:
			return "timestamp"
		case model.RootPrevious:
			return "previous"
		case model.RootVariable:
			return "var." + e.Name
		case model.RootTopic:
			return "topic"
		case model.RootPartition:
			return "partition"
		case model.RootOffset:
			return "offset"
		default:
			return e.Name
		}
	case *model.Field:
		return text(e.X) + "." + e.Name
	case *model.WindowPart:
		switch e.Part {
		case model.WindowStart:
			return "window.start"
		case model.WindowEnd:
			return "window.end"
		}
		return text(e.X)
	case *model.InWindow:
		return "windowed(" + text(e.Key) + ", window)"
	case *model.Unwrap:
		return text(e.X)
	case *model.Wrap:
		return text(e.X)
	case *model.Const:
		if e.Value == nil && types.IsOptional(e.Type) {
			return "null"
		}
		return "a constant"
	case *model.Index:
		return text(e.X) + "[…]"
	case *model.Call:
		return e.Func + "(…)"
	case *model.UserCall:
		return e.Function.Label + "(…)"
	default:
		return "an expression"
	}
}
