package plan

import (
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// A join with a table that waits for late rows is two nodes: one where records wait, and the lookup behind it, which goes on with those
// that leave.

// Wait lets a record wait until the grace of its join is over; then it goes on in Then, as do those that need not wait. It is the last
// operation of its Func.
type Wait struct {
	OpBase
	*model.Join
	Store *Store
	Then  *Func // FromWait
}

// addWait puts the node where records wait in front of a lookup.
func (p *planner) addWait(n, end *node) {
	n.in = []*node{p.add(&node{kind: waitNode, block: n.block, step: n.step, rank: n.rank, in: []*node{end}, reader: end.reader})}
}

func (p *planner) waitStore(n *node, label string) {
	s := &Store{Name: label, Kind: Waiting, Key: *n.sideKey(), Value: types.NonNull(n.in[0].reader.Value)}
	s.Key.Type = types.NonNull(s.Key.Type)
	p.addStore(n, s)
}

// wait writes what a record does in front of the lookup.
func (r *run) wait(n *node) {
	j := n.step.(*model.Join)
	at := r.p.stepPosition(j)
	if !j.Left {
		r.dropNullKey(at)
	}
	r.dropNullValue(at)
	r.encodeKey(n.store.Key, at)
	s := r.begin(n.out[0], FromWait)
	s.fn.In = State{
		Key:       Carry{Type: r.state.Key.Type, Raw: true, Format: n.store.Key, Borrowed: true},
		Value:     Carry{Type: n.store.Value, Typed: true},
		Timestamp: true, Headers: true,
	}
	s.fn.In.Key.Format.Type = r.state.Key.Type
	r.add(&Wait{Join: j, Store: n.store, Then: s.fn}, at, j)
	then := &run{fusion: r.fusion, start: s, state: s.fn.In}
	if n.out[0].need.key {
		then.add(&Decode{Key: true, Trust: true}, nil, nil, func(out *State) { out.Key.Typed = true })
	}
	then.pass(n.out[0])
}
