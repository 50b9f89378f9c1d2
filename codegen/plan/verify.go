package plan

import (
	"fmt"
	"slices"

	"github.com/streamgen/streamgen/spec/types"
)

// verifyPass holds the plan to what the emitter relies on. What it finds is a fault of the planner, never of a user: so it
// panics, with all of it.
func (p *planner) verifyPass() {
	if p.diags.HasErrors() {
		return
	}
	if faults := p.plan.verify(); len(faults) > 0 {
		panic(fmt.Sprintf("plan of %s: %q", p.plan.App, faults))
	}
}

// verifyGraph is what holds between any two passes.
func (p *planner) verifyGraph() (faults []string) {
	fault := func(n *node, format string, args ...any) {
		faults = append(faults, n.address()+": "+fmt.Sprintf(format, args...))
	}
	for i, n := range p.nodes {
		if n.id != i {
			fault(n, "stands at %d, not at %d", i, n.id)
		}
		if len(n.in) == 0 && n.kind != sourceNode {
			fault(n, "reads nothing")
		}
		for _, m := range n.in {
			if m.id >= n.id || p.nodes[m.id] != m {
				fault(n, "reads %s, which stands behind it", m.address())
			}
			if !slices.Contains(m.out, n) {
				fault(n, "%s does not know it", m.address())
			}
		}
		for _, m := range n.out {
			if !slices.Contains(m.in, n) {
				fault(n, "gives to %s, which does not read it", m.address())
			}
		}
		if (n.kind == globalNode) != (n.global != nil) {
			fault(n, "a lookup without a global table, or the other way round")
		}
		looks := n.kind == lookupNode || n.kind == joinNode || n.kind == subscribedNode || n.kind == answerNode || n.repartition != nil && n.repartition.link != nil
		if looks != (n.table != nil) {
			fault(n, "a lookup without a table, or the other way round")
		}
	}
	return faults
}

// verify is what holds of a finished plan.
func (p *Plan) verify() []string {
	v := &verifier{plan: p}
	for i, t := range p.Topics {
		v.that(t.Index == i, "topic %s has index %d at %d", t.Name, t.Index, i)
		v.that(t.Go != "" && t.Kind != 0 && t.Key.Name != "" && t.Value.Name != "", "topic %s is incomplete", t.Name)
		v.that(t.Kind != Repartition || t.Partitions > 0 || len(t.Like) > 0, "topic %s has no count", t.Name)
	}
	for i, s := range p.Stores {
		v.that(s.ID == i && s.Go != "" && s.Fingerprint != "" && s.SubTopology != nil, "store %s is incomplete", s.Name)
		v.that(!types.IsOptional(s.Value) && !types.IsOptional(s.Key.Type), "store %s holds nulls", s.Name)
		v.that(slices.Contains(s.SubTopology.Stores, s), "store %s is not in its sub-topology", s.Name)
	}
	for i, q := range p.Positions {
		v.that(q.Index == i && q.Go != "" && q.Address != "", "position %s is incomplete", q.Address)
	}
	names := map[string]bool{}
	for _, s := range p.GlobalTables {
		v.that(s.Go != "" && s.File != "" && len(s.Sources) == 1 && len(s.Sources[0].Topics) == 1 && len(s.Stores) == 1 && len(s.Writes) == 0,
			"global table %s is more than a table", s.Name)
		for _, f := range s.Funcs {
			v.function(s, f)
		}
	}
	for _, s := range p.SubTopologies {
		v.that(s.Name != "" && s.Go != "" && !names[s.Name], "sub-topology %s is not named alone", s.Name)
		names[s.Name] = true
		v.that(len(s.Sources) > 0, "sub-topology %s reads nothing", s.Name)
		for _, source := range s.Sources {
			v.that(source.Go != "" && source.Entry != nil && source.At != nil, "source %s is incomplete", source.Origin)
			v.that(len(source.Topics) > 0 != (source.Pattern != ""), "source %s has topics and a pattern, or neither", source.Origin)
			for _, t := range source.Topics {
				v.listed(t)
			}
		}
		for _, f := range s.Funcs {
			v.function(s, f)
		}
	}
	return v.faults
}

type verifier struct {
	plan   *Plan
	faults []string
}

func (v *verifier) that(ok bool, format string, args ...any) {
	if !ok {
		v.faults = append(v.faults, fmt.Sprintf(format, args...))
	}
}

func (v *verifier) listed(t *Topic) {
	v.that(v.plan.Topics[t.Index] == t, "topic %s is not listed", t.Name)
}

// function checks that each operation begins with the state that the one before it leaves, and that what it works on is at hand.
func (v *verifier) function(s *SubTopology, f *Func) {
	v.that(f.Go != "", "a function of %s has no name", s.Name)
	state := f.In
	for i, op := range f.Ops {
		b := op.Base()
		at := fmt.Sprintf("%s.%s[%d] %T", s.Name, f.Go, i, op)
		v.that(sameState(b.In, state), "%s begins with another state than the one before it leaves", at)
		v.that(b.At == nil || v.plan.Positions[b.At.Index] == b.At, "%s has a position that is not listed", at)
		last := i == len(f.Ops)-1
		in := b.In
		switch op := op.(type) {
		case *Decode:
			v.that(!op.Key || in.Key.Raw, "%s has no key bytes", at)
			v.that(!op.Value || in.Value.Raw, "%s has no value bytes", at)
			v.that(op.Key || op.Value, "%s does nothing", at)
		case *EncodeKey:
			v.that(in.Key.Typed && !in.Key.Raw, "%s has nothing to do", at)
		case *DropNullKey:
			v.that(in.Key.Raw || in.Key.Typed, "%s sees no key", at)
			v.that(b.At != nil, "%s counts nowhere", at)
		case *DropNullValue:
			v.that(in.Value.Raw || in.Value.Typed, "%s sees no value", at)
			v.that(b.At != nil, "%s counts nowhere", at)
		case *Lookup:
			v.that(in.Key.Raw, "%s has no key bytes", at)
			v.rows(s, at, Rows{Store: op.Store, View: op.View})
		case *LookupGlobal:
			v.that(b.At != nil, "%s counts nowhere", at)
			v.that(!op.ByKey || in.Key.Raw, "%s has no key bytes", at)
			v.that(slices.Contains(s.Globals, op.Store) && op.Store.Kind == GlobalRows, "%s looks into what is no global table", at)
		case *JoinRows:
			v.that(in.Key.Raw && in.Value.Typed, "%s has no key bytes or not the value", at)
			v.rows(s, at, op.Other)
		case *Get:
			v.rows(s, at, op.Rows)
			v.that(op.Left == nil || op.Left.Kind == Suppressed && slices.Contains(s.Stores, op.Left), "%s looks into another sub-topology", at)
		case *GetJoined:
			v.rows(s, at, op.Left)
			v.rows(s, at, op.Right)
		case *Differ:
			v.that(in.Value.Typed && in.Old.Typed, "%s has nothing to compare", at)
		case *Newest:
			v.that(in.Newest && b.At != nil, "%s does not know what is newest, or counts nowhere", at)
		case *Regroup:
			v.that(last && in.Value.Typed && in.Old.Typed, "%s has no old row, or is not the last", at)
			v.listed(op.Topic)
		case *Subscribe:
			v.that(last && b.At != nil && in.Key.Raw && in.Value.Typed && in.Old.Typed, "%s has not both rows, or is not the last", at)
			v.listed(op.Foreign.Subscriptions)
		case *Subscribed:
			v.that(last && i == 0 && f.Kind == FromSource, "%s is not alone where subscriptions come", at)
			v.rows(s, at, op.Right)
			v.listed(op.Foreign.Answers)
		case *Tell:
			v.that(last && in.Key.Raw && in.Value.Typed, "%s has no key bytes or not the value, or is not the last", at)
			v.that(slices.Contains(s.Stores, op.Foreign.Store), "%s tells in another sub-topology", at)
		case *Answer:
			v.that(f.Kind == FromSource && b.At != nil, "%s is not where answers come", at)
			v.rows(s, at, op.Left)
		case *Dedup:
			v.that(b.At != nil, "%s counts nowhere", at)
			v.that(slices.Contains(s.Stores, op.Store), "%s looks into another sub-topology", at)
		case *Wait:
			v.that(b.At != nil && last, "%s counts nowhere, or is not the last", at)
			v.that(in.Key.Raw && in.Value.Typed && in.Value.Fields == nil, "%s has no key bytes or not the whole value", at)
			v.that(slices.Contains(s.Stores, op.Store), "%s waits in another sub-topology", at)
			v.callee(s, at, op.Then)
		case *Meet:
			v.that(b.At != nil && last, "%s counts nowhere, or is not the last", at)
			v.that(in.Key.Raw && in.Value.Typed && in.Value.Fields == nil, "%s has no key bytes or not the whole value", at)
			v.that(slices.Contains(s.Stores, op.Join.Left) && slices.Contains(s.Stores, op.Join.Right), "%s has its rows in another sub-topology", at)
			v.callee(s, at, op.Join.Result)
		case *EventTime:
			v.that((f.Kind == FromSource || f.Kind == FromTurn && last) && b.At != nil, "%s is not where records come, or has no place", at)
			v.that(op.Store == nil || slices.Contains(s.Stores, op.Store), "%s remembers in another sub-topology", at)
		case *Joined:
			v.that(f.Kind == FromJoin, "%s is not where results come", at)
		case *Put:
			v.that(in.Key.Raw && in.Value.Typed && in.Value.Fields == nil, "%s has no key bytes or not the whole value", at)
			v.that(op.Store.Flush == nil || last, "%s goes on although Flush does", at)
			v.that(slices.Contains(s.Stores, op.Store), "%s writes into another sub-topology", at)
		case *Age:
			v.that(in.Key.Raw && !types.IsOptional(in.Key.Type), "%s has no key bytes", at)
			v.that(b.At != nil && !last, "%s counts nowhere, or is the last", at)
			v.that(slices.Contains(s.Stores, op.Store), "%s ends rows of another sub-topology", at)
			v.callee(s, at, op.Store.Ended)
		case *Windows:
			v.that(in.Key.Raw && !types.IsOptional(in.Key.Type), "%s has no key bytes", at)
			v.that(b.At != nil, "%s counts nowhere", at)
			v.callee(s, at, op.Late)
		case *Update:
			v.that(op.Store.Window == nil || in.Window || op.Store.Kind == Sessions, "%s has no window", at)
			v.that(in.Key.Raw && !types.IsOptional(in.Key.Type), "%s has no key bytes", at)
			v.that(op.Store.Flush == nil || last, "%s goes on although Flush does", at)
			v.that(slices.Contains(s.Stores, op.Store), "%s writes into another sub-topology", at)
		case *Suppress:
			v.that(in.Key.Raw && in.Value.Typed && in.Value.Fields == nil && last, "%s has no key bytes or not the whole value, or is not the last", at)
			v.that(slices.Contains(s.Stores, op.Store), "%s writes into another sub-topology", at)
		case *Send:
			v.that((op.Topic == nil) == (op.Sink != nil && op.Sink.Choice != nil) && len(op.To()) > 0, "%s has no topic, or two ways to find it", at)
			for _, t := range op.To() {
				v.listed(t)
				v.that(slices.Contains(s.Writes, t), "%s sends to what is not listed", at)
			}
			v.that(sendable(in.Key, op.Key), "%s has no key to send", at)
			v.that(sendable(in.Value, op.Value), "%s has no value to send", at)
		case *FlatMap:
			v.that(i == len(f.Ops)-2, "%s is not followed by a call", at)
		case *Choose:
			v.that(last, "%s is not the last", at)
			for _, c := range op.Cases {
				v.callee(s, at, c.To)
			}
		case *Call:
			v.that(last && len(op.To) > 0, "%s is not the last, or calls nothing", at)
			for _, g := range op.To {
				v.callee(s, at, g)
				v.that(covers(in, g.In), "%s: %s wants more than is at hand", at, g.Go)
			}
		}
		state = b.Out
	}
}

// rows checks that rows are looked up where they are.
func (v *verifier) rows(s *SubTopology, at string, r Rows) {
	v.that((r.Store == nil) != (r.View == nil), "%s looks nowhere, or twice", at)
	v.that(r.Store == nil || slices.Contains(s.Stores, r.Store), "%s looks into another sub-topology", at)
	v.callee(s, at, r.View)
}

func (v *verifier) callee(s *SubTopology, at string, g *Func) {
	v.that(g == nil || slices.Contains(s.Funcs, g), "%s calls into another sub-topology", at)
}

// sendable says whether a carry can be sent in a format: as bytes, or encoded from all of its fields.
func sendable(c Carry, f Format) bool {
	return c.Raw && c.Format.same(f) || c.Typed && c.Fields == nil || c.Typed && !types.Equal(types.NonNull(c.Type), types.NonNull(f.Type))
}

// covers says whether a caller gives what a Func begins with.
func covers(give, want State) bool {
	return coversCarry(give.Key, want.Key) && coversCarry(give.Value, want.Value) && coversCarry(give.Old, want.Old) &&
		(give.Record || !want.Record) && (give.Window || !want.Window) && (give.Was || !want.Was) && (give.Newest || !want.Newest)
}

func coversCarry(give, want Carry) bool {
	switch {
	case want.Raw && !(give.Raw && give.Format.same(want.Format)):
		return false
	case want.Typed && !give.Typed:
		return false
	case want.Typed && give.Fields != nil:
		return want.Fields != nil && !slices.ContainsFunc(want.Fields, func(f string) bool { return !slices.Contains(give.Fields, f) })
	}
	return true
}

func sameState(a, b State) bool {
	return sameCarry(a.Key, b.Key) && sameCarry(a.Value, b.Value) && sameCarry(a.Old, b.Old) && a.Was == b.Was && a.Record == b.Record && a.Window == b.Window && a.Newest == b.Newest &&
		a.Timestamp == b.Timestamp && a.Headers == b.Headers
}

func sameCarry(a, b Carry) bool {
	return (a.Type == nil) == (b.Type == nil) && (a.Type == nil || types.Equal(a.Type, b.Type)) && a.Raw == b.Raw && a.Typed == b.Typed && a.Borrowed == b.Borrowed &&
		slices.Equal(a.Fields, b.Fields) && (a.Fields == nil) == (b.Fields == nil)
}
