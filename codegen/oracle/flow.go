package oracle

import (
	"cmp"
	"slices"

	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// record is a record on its way. Nobody changes what its parts hold.
type record struct {
	key, value any
	previous   any // the value of the row that a change of a table replaced
	ts         int64
	headers    []Header
	moved      bool // its key is another than that by which its topic is partitioned
}

// reader is a block or a sink that reads something.
type reader struct {
	block *model.Block
	sink  *model.Sink
	pos   diag.Range
	join  *model.StreamJoin // of block, whose right side it is
	rows  *model.TableJoin  // likewise
	at    int               // place of join in the steps
	input int               // of a cogroup, which of its inputs
	fold  *model.Fold       // and what it adds; nil of other blocks
}

// readers finds who reads what.
func readers(p *model.Program) map[string][]reader {
	all := map[string][]reader{}
	add := func(r model.Ref, next reader) {
		for passesOn(r) {
			r = r.Block.From[0]
		}
		all[r.Address()] = append(all[r.Address()], next)
	}
	for _, b := range p.Blocks {
		group := cogroupOf(b)
		for i, r := range b.From {
			next := reader{block: b, pos: b.Pos}
			if group != nil {
				next.input, next.fold = i, group.Inputs[i]
			}
			add(r, next)
		}
		for i, s := range b.Steps {
			switch j := s.(type) {
			case *model.StreamJoin:
				add(j.With, reader{block: b, pos: b.Pos, join: j, at: i})
			case *model.TableJoin:
				add(model.Ref{Block: j.With}, reader{block: b, pos: b.Pos, rows: j, at: i})
			}
		}
	}
	for _, s := range p.Sinks {
		add(s.From, reader{sink: s, pos: s.Pos})
	}
	for _, list := range all {
		slices.SortStableFunc(list, func(a, b reader) int {
			return cmp.Or(diag.CompareFiles(a.pos.File, b.pos.File), cmp.Compare(a.pos.Start.Byte, b.pos.Start.Byte))
		})
	}
	return all
}

// passesOn says whether a reference is to a table without steps, or to a stream whose steps leave records as they are: who reads it reads
// what that reads.
func passesOn(r model.Ref) bool {
	b := r.Block
	return ofTable(b) && len(b.Steps) == 0 || b.Kind == model.Stream && b.Source == nil && len(b.From) == 1 && !r.Late && !slices.ContainsFunc(b.Steps, func(s model.Step) bool {
		switch s := s.(type) {
		case *model.MapValues:
			v, ok := s.Value.(*model.Var)
			return !ok || v.Root != model.RootValue
		case *model.SelectKey:
			return !isKey(s.Key)
		}
		return true
	})
}

// source takes a record from the outside. What is no value of its type is bad input; a table has no use for a null key.
func (o *Oracle) source(b *model.Block, in Record) {
	r := record{ts: in.Timestamp, headers: in.Headers}
	if b.HoldsRows() && string(in.Key) == "null" {
		o.drops["null key"]++
		return
	}
	value := b.Source.Value
	if b.HoldsRows() {
		value.Type = types.OptionalOf(types.NonNull(value.Type)) // a null deletes
	}
	if !o.try("bad input", b.OnError, b.Address(), func() {
		r.key, r.value = decode(b.Source.Key.Type, in.Key), decode(value.Type, in.Value)
	}) {
		return
	}
	if b.Kind == model.GlobalTable {
		for _, part := range o.parts {
			part.putGlobal(b, r)
		}
		return
	}
	if !o.eventTime(b, &r) {
		return
	}
	if o.straight(b) {
		c := change{key: r.key, ts: r.ts, headers: r.headers}
		if r.value != nil {
			c.new = &row{key: r.key, value: r.value, ts: r.ts}
		}
		o.changeRows(o.readers[b.Address()][0].block, 0, c)
		return
	}
	if t := o.tables[b]; t != nil {
		o.put(t, r)
		return
	}
	o.run(b, 0, r)
}

// leave hands what leaves a block, or a case, to all that read it, depth first. Those that work by a key that changed on the way
// read it through one topic, which has no place for records without a key unless one of them keeps those.
func (o *Oracle) leave(address string, r record) {
	keeps, shared := false, false
	for _, next := range o.readers[address] {
		if s := firstByKey(next); r.moved && s != nil {
			shared, keeps = true, keeps || next.keeps(s)
		}
	}
	if shared && r.key == nil && !keeps {
		o.drops["null key"]++
	}
	for _, next := range o.readers[address] {
		switch {
		case next.sink != nil:
			o.sink(next.sink, r)
		case !r.moved || firstByKey(next) == nil:
			o.read(next, r)
		case r.key != nil || keeps:
			there := r
			there.moved = false
			part := o.part(r.key)
			part.later(func() { part.take(next, there) })
		}
	}
}

// read goes on with a record in a block that reads it. A merge is one stream: all of it is written anew, or nothing.
func (o *Oracle) read(next reader, r record) {
	r.moved = r.moved || next.fold == nil && next.join == nil && arrivesMoved(next.block)
	o.take(next, r)
}

// take is read of a record that lies where its key does, or that has to be written anew.
func (o *Oracle) take(next reader, r record) {
	switch {
	case next.fold != nil:
		o.cogroup(next, r)
	case next.join != nil:
		for _, x := range o.meet(next.join, 1, r) {
			o.run(next.block, next.at+1, x)
		}
	default:
		o.run(next.block, 0, r)
	}
}

// arrivesMoved says whether a block reads something whose key changed on the way.
func arrivesMoved(b *model.Block) bool {
	return slices.ContainsFunc(b.From, func(r model.Ref) bool { return leavesMoved(r.Block) })
}

func leavesMoved(b *model.Block) bool {
	if cogroupOf(b) != nil {
		return false
	}
	moved := arrivesMoved(b)
	for _, s := range b.Steps {
		switch _, again := s.(*model.Repartition); {
		case moves(s):
			moved = true
		case again || byKey(s):
			moved = false
		}
	}
	return moved
}

// keeps says whether the first step of a reader that works by the key keeps records without one.
func (next reader) keeps(s model.Step) bool {
	if next.join != nil {
		return next.join.Right
	}
	return isLeft(s)
}

// repartitioned goes on with a record when all that is at work now is committed.
func (o *Oracle) repartitioned(b *model.Block, step int, r record) {
	r.moved = false
	part := o.part(r.key)
	part.later(func() { part.run(b, step, r) })
}

// firstByKey is the first step that works by the key with which a record comes to a block; nil if there is none, or if a step
// before it changes the key or moves it to another topic itself.
func firstByKey(next reader) model.Step {
	if next.block == nil {
		return nil
	}
	if next.fold != nil {
		return next.fold
	}
	if next.join != nil {
		return next.join
	}
	for _, s := range next.block.Steps {
		if byKey(s) {
			return s
		}
		if _, ok := s.(*model.Repartition); ok || moves(s) {
			return nil
		}
	}
	return nil
}

func byKey(s model.Step) bool {
	switch s.(type) {
	case *model.Join, *model.StreamJoin, *model.ToTable, *model.Count, *model.Aggregate, *model.Reduce, *model.Fold:
		return true
	}
	return false
}

func isLeft(s model.Step) bool {
	switch j := s.(type) {
	case *model.Join:
		return j.Left
	case *model.StreamJoin:
		return j.Left
	}
	return false
}

// moves says whether a step gives records another key.
func moves(s model.Step) bool {
	switch s := s.(type) {
	case *model.SelectKey:
		return !isKey(s.Key)
	case *model.GroupBy:
		return !isKey(s.Key)
	case *model.Map:
		return s.Key != nil && !isKey(s.Key)
	case *model.FlatMap:
		_, ok := s.Each.Base().Type.(*types.List).Elem.(*types.Record).Lookup("key")
		return ok
	}
	return false
}

// isKey says whether an expression is the key itself.
func isKey(e model.Expr) bool {
	switch e := e.(type) {
	case *model.Var:
		return e.Root == model.RootKey
	case *model.Unwrap:
		return isKey(e.X)
	case *model.Wrap:
		return isKey(e.X)
	}
	return false
}

// run goes through a block from a step on.
func (o *Oracle) run(b *model.Block, at int, r record) {
	if b.Kind == model.Branch {
		o.branch(b, r)
		return
	}
	for i := at; i < len(b.Steps); i++ {
		s := b.Steps[i]
		if byKey(s) && r.moved {
			if r.key == nil && !isLeft(s) {
				o.drops["null key"]++
				return
			}
			o.repartitioned(b, i, r)
			return
		}
		out, ok := o.step(b, s, r)
		if isFlat(s) {
			for _, e := range out {
				o.run(b, i+1, e)
			}
			return
		}
		if _, ok := s.(*model.Repartition); ok {
			if r.key == nil {
				o.drops["null key"]++
				return
			}
			o.repartitioned(b, i+1, r)
			return
		}
		if !ok {
			return
		}
		r = out[0]
	}
	o.leave(b.Address(), r)
}

// branch takes the first case that holds.
func (o *Oracle) branch(b *model.Block, r record) {
	for _, c := range b.Cases {
		holds := c.Where == nil
		policy := c.OnError
		if policy == 0 {
			policy = b.OnError
		}
		if c.Where != nil && !o.try("the step failed", policy, c.Address, func() { holds = o.eval(c.Where, scope{record: r}).(bool) }) {
			return
		}
		if holds {
			o.leave(c.Address, r)
			return
		}
	}
	o.drops["no case"]++
}
