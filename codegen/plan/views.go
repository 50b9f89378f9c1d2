package plan

import (
	"slices"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// oldOf is the row that a change replaces, where changes have type t.
func oldOf(t types.Type) Carry { return Carry{Type: types.OptionalOf(t), Typed: true} }

// old changes the state behind a node that knows the row which a change replaces: it is at hand if something behind wants it.
func (r *run) old(n *node) func(*State) {
	return func(out *State) {
		if out.Old, out.Was = (Carry{}), false; n.givesOld() && !n.updates() {
			out.Old, out.Was = oldOf(n.reader.Value), n.givesWas()
		}
	}
}

// row is a filter or a map of rows.
func (r *run) row(n *node) {
	base := n.step.Base()
	var at *Position
	if slices.ContainsFunc(model.Exprs(n.step), CanFail) {
		at = r.p.stepPosition(n.step)
	}
	out := func(out *State) {
		out.Key.Type = base.Out.Key
		out.Value = fresh(base.Out.Value)
	}
	switch s := n.step.(type) {
	case *model.Filter:
		r.add(&RowFilter{Filter: s}, at, s, out, r.old(n))
	case *model.MapValues:
		r.add(&RowMap{MapValues: s}, at, s, out, r.old(n))
	}
}

// joinRows is one side of a join of tables.
func (r *run) joinRows(n *node) {
	j := n.step.(*model.TableJoin)
	r.newest(j)
	at := r.p.stepPosition(j)
	r.encodeKey(*n.table.rawKey, at)
	left := n.out[0].in[0] == n
	r.add(&JoinRows{TableJoin: j, Left: left, Other: r.rowsOf(n.table, true), Shared: shared(n.out[0])}, at, j, func(out *State) {
		out.Key.Type, out.Value, out.Timestamp = j.Out.Key, fresh(j.Out.Value), true
	}, r.old(n))
}

// regroup sends the halves of a change to the groups.
func (r *run) regroup(n *node) {
	g := n.step.(*model.GroupBy)
	r.newest(g)
	var at *Position
	if slices.ContainsFunc(model.Exprs(g), CanFail) || n.out[0].rawKey.refuses() {
		at = r.p.stepPosition(g)
	}
	r.add(&Regroup{GroupBy: g, Value: g.Value, Topic: n.out[0].repartition.topic}, at, g)
}

// rowsOf says where the rows of a table are found that ends with a node.
//
// With sent they are as they were sent last; a table whose changes all go on at once has no others.
func (f *fusion) rowsOf(n *node, sent bool) Rows {
	n = n.keeper()
	switch {
	case n.hasRows():
		sent = sent && n.updates() && len(n.out) > 0 && n.keepsSent()
		n.store.KeepsSent = n.store.KeepsSent || sent
		return Rows{Store: n.store, Sent: sent}
	case n.kind == differNode:
		return f.rowsOf(n.in[0], sent)
	case n.kind == suppressNode && !n.sendsOnce():
		return Rows{Store: n.store} // it keeps what was sent
	}
	sent = sent && slices.ContainsFunc(bases(n, nil), func(b *node) bool { return b.kind != suppressNode && b.updates() })
	at := view{n, sent}
	if f.views[at] == nil {
		f.views[at] = f.view(n, sent)
	}
	return Rows{View: f.views[at]}
}

// view is a table without a store.
type view struct {
	end  *node
	sent bool
}

// view writes the Func that works out the rows which leave a node.
func (f *fusion) view(n *node, sent bool) *Func {
	s := f.begin(n, FromRows)
	var steps []*node
	base := n
	for base.kind == rowNode || base.kind == differNode {
		if base.kind == rowNode {
			steps = append(steps, base)
		}
		base = base.in[0]
	}
	slices.Reverse(steps)
	key := *n.rawKey
	r := &run{fusion: f, start: s, state: State{Key: Carry{Type: n.reader.Key, Raw: true, Format: key, Borrowed: true}, Timestamp: true}}
	s.fn.In = r.state
	get := func(out *State) { out.Value = fresh(types.OptionalOf(base.reader.Value)) }
	var at *Position
	asks := slices.ContainsFunc(steps, func(n *node) bool { return slices.ContainsFunc(model.Exprs(n.step), asksKey) })
	if j, ok := base.step.(*model.TableJoin); ok && base.kind == mergeNode && asksKey(j.Value) || asks {
		r.add(&Decode{Key: true, Trust: true}, nil, nil, func(out *State) { out.Key.Typed = true })
	}
	if base.kind == mergeNode && base.keeper() == base {
		j := base.step.(*model.TableJoin)
		r.add(&GetJoined{TableJoin: j, Left: f.rowsOf(base.in[0].in[0], sent), Right: f.rowsOf(base.in[1].in[0], sent)}, at, j, get)
	} else if base.kind == suppressNode && base.sendsOnce() {
		r.add(&Get{Rows: f.rowsOf(base.in[0], true), Left: base.store}, at, base.step, get)
	} else {
		r.add(&Get{Rows: f.rowsOf(base, sent)}, at, nil, get)
	}
	for _, n := range steps {
		s.runs = append(s.runs, n)
		r.row(n)
		r.state.Old, r.state.Was = Carry{}, false
		last := r.start.fn.Ops[len(r.start.fn.Ops)-1].Base()
		last.Out.Old, last.Out.Was, last.At = Carry{}, false, nil
	}
	if len(s.runs) == 0 {
		s.runs = append(s.runs, n)
	}
	return s.fn
}

// asksKey says whether an expression reads the key.
func asksKey(e model.Expr) (asks bool) {
	model.Walk(e, func(x model.Expr) {
		v, ok := x.(*model.Var)
		asks = asks || ok && v.Root == model.RootKey
	})
	return asks
}

// rowsIn are the rows that an operation looks up.
func rowsIn(op Op) []Rows {
	switch op := op.(type) {
	case *Lookup:
		return []Rows{{Store: op.Store, View: op.View}}
	case *JoinRows:
		return []Rows{op.Other}
	case *Subscribed:
		return []Rows{op.Right}
	case *Answer:
		return []Rows{op.Left}
	case *Get:
		return []Rows{op.Rows}
	case *GetJoined:
		return []Rows{op.Left, op.Right}
	}
	return nil
}

// onwardsOnly says whether a row never becomes again what it was: each record adds to a count in it.
func onwardsOnly(n *node) bool {
	switch s := n.step.(type) {
	case *model.Count:
		return !n.pairs
	case *model.Aggregate:
		return !n.pairs && slices.ContainsFunc(parts(s.Value), func(e model.Expr) bool {
			ref, ok := e.(*model.AggRef)
			return ok && s.Aggregators[ref.Index].Func == "count" && s.Aggregators[ref.Index].Arg == nil
		})
	}
	return false
}

// parts are the fields of a record that is made, or the value itself.
func parts(e model.Expr) []model.Expr {
	if r, ok := e.(*model.New); ok {
		return r.Fields
	}
	return []model.Expr{e}
}

// Stores are those that the rows are in, or are worked out from.
func (r Rows) Stores() []*Store {
	if r.Store != nil {
		return []*Store{r.Store}
	}
	var list []*Store
	for _, op := range r.View.Ops {
		for _, from := range rowsIn(op) {
			for _, s := range from.Stores() {
				list = appendNew(list, s)
			}
		}
		if get, ok := op.(*Get); ok && get.Left != nil {
			list = appendNew(list, get.Left)
		}
	}
	return list
}

// keepsSent says whether a store can keep rows as they were sent: each row of a final one is sent once.
func (n *node) keepsSent() bool {
	if n.store.Final {
		return false
	}
	switch n.store.Kind {
	case KeyValue, Windowed, Sliding, Sessions:
		return true
	}
	return false
}
