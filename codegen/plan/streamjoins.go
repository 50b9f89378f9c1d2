package plan

import (
	"fmt"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// A join of two streams is three nodes: a side for each stream, where a record meets the rows of the other side and becomes a row
// itself, and behind both the node of the results, which works out the value.

// Join is the state of a join of two streams.
type Join struct {
	Go          string // field of the sub-topology
	Step        *model.StreamJoin
	Left, Right *Store // one if a stream is joined with itself
	Result      *Func  // takes a result on
	Kept        [2]bool
}

// Single says whether a stream is joined with itself: the rows of one store play both roles.
func (j *Join) Single() bool { return j.Left == j.Right }

// Meet takes a record of one side of a join through the rows of the other one; each result goes on in Join.Result. It is the last
// operation of its Func. A record without a key is a result by itself: only a kept side has one. A record is put first, and then
// meets the rows, as the right one of a stream that is joined with itself: there the left one is not put.
type Meet struct {
	OpBase
	Join *Join
	Side int // 0: left, 1: right
}

// Store is what a record of the side becomes a row of.
func (m *Meet) Store() *Store { return m.Join.Store(m.Side) }

// Waits says whether rows of the store wait: for null results, or for late rows of a table.
func (s *Store) Waits() bool {
	j := s.Join
	return s.Kind == Waiting || j != nil && (j.Kept[0] && s == j.Left || j.Kept[1] && s == j.Right)
}

// Store is that of a side, 0 or 1.
func (j *Join) Store(side int) *Store { return [...]*Store{j.Left, j.Right}[side] }

// Joined works out the value of a result. Where a row is missing, its side is null.
type Joined struct {
	OpBase
	*model.StreamJoin
	Join *Join
}

// addStreamJoin makes the nodes of a join whose left side is end.
func (p *planner) addStreamJoin(s *model.StreamJoin, n, end *node) {
	n.kind = joinedNode
	right := p.ref(s.With)
	n.in = []*node{
		p.add(&node{kind: sideNode, block: n.block, step: s, rank: n.rank, in: []*node{end}, reader: end.reader}),
		p.add(&node{kind: sideNode, side: 1, block: n.block, step: s, rank: n.rank, in: []*node{right}, reader: right.reader}),
	}
}

// joined is the node of the results of a side.
func (n *node) joined() *node { return n.out[0] }

// mirror says whether n is the right side of a stream that is joined with itself, which has its rows in the store of the left
// one. Where a side is kept, a row is one on each side by itself.
func (n *node) mirror() bool {
	if n.kind != sideNode || n.side == 0 {
		return false
	}
	sides, s := n.joined().in, n.step.(*model.StreamJoin)
	return sides[0].in[0] == sides[1].in[0] && !s.Left && !s.Right
}

// sideKey is the format of the keys that the records of a side meet by: that of the topics that they come from.
func (n *node) sideKey() *Format {
	var roots []*node
	collectRoots(n.in[0], map[*node]bool{}, &roots)
	return &Format{Name: roots[0].rawKey.Name, Type: n.in[0].reader.Key, JSON: roots[0].rawKey.JSON}
}

// sideStore is the store of a side, which is made before that of the other one.
func (p *planner) sideStore(n *node, label string) {
	s := n.step.(*model.StreamJoin)
	result := n.joined()
	if result.join == nil {
		result.join = &Join{Step: s, Kept: [2]bool{s.Left, s.Right}}
	}
	n.join = result.join
	if n.mirror() {
		n.join.Right = n.join.Left
		return
	}
	st := &Store{Name: label, Kind: JoinSide, Key: *n.sideKey(), Value: types.NonNull(n.in[0].reader.Value), Join: n.join}
	st.Key.Type = types.NonNull(st.Key.Type)
	p.addStore(n, st)
	if n.side == 0 {
		n.join.Left = st
	} else {
		n.join.Right = st
	}
}

// joinShape is what the layout of the rows of a join depends on beside key and value: how long they are held.
func joinShape(j *Join) string {
	s := j.Step
	return fmt.Sprintf("join 1 held %d", (s.Before + s.After + s.Grace).Milliseconds())
}

// meet writes what a record of a side does.
func (r *run) meet(n *node) {
	at := r.p.stepPosition(n.step)
	if !n.join.Kept[n.side] {
		r.dropNullKey(at)
	}
	r.dropNullValue(at)
	r.encodeKey(n.join.Store(n.side).Key, at)
	r.add(&Meet{Join: n.join, Side: n.side}, at, n.step)
}

// joined is the Func that begins with a result of a join.
func (f *fusion) joined(s *start) {
	n := s.node
	step := n.step.(*model.StreamJoin)
	left := types.NonNull(step.In.Value)
	if step.Right {
		left = types.OptionalOf(left)
	}
	r := &run{fusion: f, start: s, state: State{
		Key:       Carry{Type: n.reader.Key, Raw: true, Format: *n.rawKey, Borrowed: true},
		Value:     Carry{Type: left, Typed: true},
		Timestamp: true, Headers: true,
	}}
	s.fn.In = r.state
	s.runs = append(s.runs, n)
	if n.need.key {
		r.add(&Decode{Key: true, Trust: true}, nil, nil, func(out *State) { out.Key.Typed = true })
	}
	at := f.p.stepPosition(step)
	r.add(&Joined{StreamJoin: step, Join: n.join}, at, step, func(out *State) { out.Value = fresh(step.Out.Value) })
	r.goOn(n)
}
