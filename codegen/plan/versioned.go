package plan

import (
	"slices"

	"github.com/streamgen/streamgen/spec/model"
)

// A table with a history sends on each version that it gets, also one that is older than the row of now. Steps on rows take them as they
// come, each with the version that it replaces; a join, a group and a suppress know only rows of now.

// ofNewest says whether a node takes rows of now only.
func (n *node) ofNewest() bool {
	return n.kind == joinNode || n.kind == subscribeNode || n.kind == tellNode || n.kind == groupNode || n.kind == suppressNode
}

// givesNewest says whether something behind a node wants to know whether a version is the row of now.
func (n *node) givesNewest() bool {
	return slices.ContainsFunc(n.out, func(m *node) bool { return m.need.newest })
}

// joins says whether a join stands behind a node, with nothing but steps on rows in between.
func (n *node) joins() bool {
	return slices.ContainsFunc(n.out, func(m *node) bool {
		return m.kind == joinNode || m.kind == subscribeNode || m.kind == tellNode || (m.kind == rowNode || m.kind == differNode) && m.joins()
	})
}

// newest ends older versions in front of a step.
func (r *run) newest(s model.Step) {
	if r.state.Newest {
		_, joins := s.(*model.TableJoin)
		r.add(&Newest{Joins: joins}, r.p.stepPosition(s), nil, func(out *State) { out.Newest = false })
	}
}
