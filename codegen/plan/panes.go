package plan

import (
	"slices"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// paned says whether the store of a node keeps its rows by pane: of hopping windows of which nothing but final results is asked. A
// record then changes one row, however many windows it is in, and what leaves is what it would be with a row for each window:
//
//   - Nobody reads rows: a window that has left is not there any more. A step store says that somebody may.
//   - The state of a window is that of its panes in any order, and exactly so: floats are not.
//   - Nothing fails for some of the windows only, unless that ends the program.
func (p *planner) paned(n *node, s *Store) bool {
	w := s.Window
	if s.Kind != Windowed || !s.Final || w.Kind != model.Hopping || w.Size == w.Advance || n.named != nil || p.looked(n) {
		return false
	}
	switch step := n.step.(type) {
	case *model.Count:
		return true
	case *model.Aggregate:
		return !slices.ContainsFunc(s.Cells, func(c Cell) bool { return !adds(c, step.OnError) })
	}
	return false
}

// looked says whether somebody looks into the rows of a node.
func (p *planner) looked(n *node) bool {
	return slices.ContainsFunc(p.nodes, func(m *node) bool { return m.table != nil && slices.Contains(bases(m.table, nil), n) })
}

// adds says whether an aggregator over several panes is worked out from what it is in each.
func adds(c Cell, onError model.OnError) bool {
	if c.Arg == nil {
		return c.Func == "count"
	}
	if CanFail(c.Arg) && onError != model.Fail {
		return false
	}
	switch t := c.Type; c.Func {
	case "count":
		return true
	case "min", "max":
		return !types.IsFloat(t)
	case "sum":
		return !types.IsFloat(t) && onError == model.Fail
	case "avg":
		return types.Equal(sumType(c.Arg), types.Int64) && onError == model.Fail
	}
	return false
}
