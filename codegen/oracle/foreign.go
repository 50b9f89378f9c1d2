package oracle

import (
	"cmp"
	"maps"
	"slices"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// foreign is the state of a join by a foreign key, on the side of the right table: who is subscribed, by foreign key and key.
type foreign struct {
	subscribers map[string]map[string]subscriber

	turn int             // of the record that changed rows last
	rows map[string]bool // which ones
}

// subscriber is a left row with the value that it had when it subscribed.
type subscriber struct {
	key, value any
	part       *Oracle // where it lies
}

func (o *Oracle) foreignAt(at place) *foreign {
	f := o.foreign[at]
	if f == nil {
		f = &foreign{subscribers: map[string]map[string]subscriber{}}
		o.foreign[at] = f
	}
	return f
}

// again says whether the record in hand has changed the row before.
func (f *foreign) again(o *Oracle, key string) bool {
	if f.turn != o.turn {
		f.turn, f.rows = o.turn, map[string]bool{}
	}
	was := f.rows[key]
	f.rows[key] = true
	return was
}

// subscribe takes the change of a left row to the right rows that it names and named. What is asked for comes back behind two topics.
func (o *Oracle) subscribe(b *model.Block, i int, c change) {
	j := b.Steps[i].(*model.TableJoin)
	at := place{b, i}
	f := o.foreignAt(at)
	failed := false
	name := func(r *row, fresh bool) (on any) {
		if r == nil {
			return nil
		}
		env := scope{record: record{key: c.key, value: r.value, ts: r.ts}}
		if !o.tryRow(j, fresh, func() { on = o.eval(j.On, env) }) && fresh {
			failed = true
		}
		return on
	}
	on, before := name(c.new, true), name(c.old, false)
	if c.new == nil && c.old == nil {
		return
	}
	again := f.again(o, at.keyText(c.key))
	var value any // that the answer must find
	if c.new != nil {
		value = c.new.value
	}
	send := func(to any, ends, withdraws, always, counts bool) {
		right := o.part(to)
		right.later(func() { right.subscribed(at, to, subscriber{c.key, value, o}, c, ends, withdraws, always, counts) })
	}
	leave := func() { send(before, true, false, false, false) }
	inner := j.Kind == model.Inner
	stays := c.new != nil && !failed && (on != nil || !inner)
	switch {
	case stays && inner && (before == nil || same(before, on)):
		send(on, false, false, !again, false)
	case stays:
		if before != nil && !(on != nil && same(before, on)) {
			leave()
		}
		send(on, false, false, true, true)
	case c.new == nil && !inner:
		if before != nil {
			leave()
		}
		send(nil, false, false, true, true)
	case before != nil || !inner:
		send(before, true, true, true, true)
	case !again:
		send(nil, true, false, true, false)
	}
	if inner && c.new != nil && on == nil && !failed {
		o.drops["null foreign key"]++
	}
}

// subscribed is a subscription that comes to the side of the right table.
func (o *Oracle) subscribed(at place, on any, s subscriber, c change, ends, withdraws, always, counts bool) {
	j := at.block.Steps[at.step].(*model.TableJoin)
	f := o.foreignAt(at)
	var right *row
	if on != nil {
		to, from := foreignText(j, on), at.keyText(s.key)
		if f.subscribers[to] == nil {
			f.subscribers[to] = map[string]subscriber{}
		}
		if f.subscribers[to][from] = s; ends {
			delete(f.subscribers[to], from)
		}
		right = o.rowOf(j.With, on, true)
	}
	if ends && !always || right == nil && !always {
		return
	}
	ts := c.ts
	if right != nil {
		ts = max(ts, right.ts)
	}
	answers := change{key: s.key, new: right, ts: ts, headers: c.headers}
	s.part.later(func() { s.part.answered(at, s, answers, withdraws, counts || right != nil) })
}

// tell takes the change of a right row to all that are subscribed to it, in the order of their keys.
func (o *Oracle) tell(b *model.Block, i int, c change) {
	at := place{b, i}
	all := slices.Collect(maps.Values(o.foreignAt(at).subscribers[foreignText(b.Steps[i].(*model.TableJoin), c.key)]))
	slices.SortFunc(all, func(a, b subscriber) int { return cmp.Compare(keyBytes(a.key), keyBytes(b.key)) })
	for _, s := range all {
		answers := change{key: s.key, new: c.new, ts: c.ts, headers: c.headers}
		s.part.later(func() { s.part.answered(at, s, answers, false, true) })
	}
}

// answered is an answer that comes to the side of the left table: new is the right row.
func (o *Oracle) answered(at place, s subscriber, c change, withdrawn, counts bool) {
	j := at.block.Steps[at.step].(*model.TableJoin)
	left := o.rowAt(at.block, at.step-1, s.key, true)
	var now any
	if left != nil {
		now = left.value
	}
	if (s.value == nil) != (now == nil) || now != nil && !same(s.value, now) {
		if counts {
			o.drops["stale answer"]++
		}
		return
	}
	right := c.new
	if c.new = nil; !withdrawn && left != nil {
		c.new = o.joinRows(j, s.key, left, right, true)
	}
	if c.new != nil {
		c.new.ts = c.ts
	}
	if o.passes(at, &c) {
		o.changeRows(at.block, at.step+1, c)
	}
}

func foreignText(j *model.TableJoin, on any) string {
	return string(encode(types.NonNull(j.With.Out.Key), on))
}
