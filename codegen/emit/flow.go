package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// choose goes on in the function of the first case that holds.
func (f *function) choose(op *plan.Choose) {
	var cases []jen.Code
	complete := false
	for _, c := range op.Cases {
		var then []jen.Code
		what := c.Case.Address
		if c.To == nil {
			what += ": nothing reads it"
			then = []jen.Code{jen.Return(jen.Nil())}
		} else {
			in := f.hand
			f.hand.key.narrow(c.Case.Out.Key)
			f.hand.value.narrow(c.Case.Out.Value)
			before, call := f.invocation(c.To)
			then = append(before, jen.Return(call))
			f.hand = in
		}
		if c.Case.Where == nil {
			complete = true
			cases = append(cases, jen.Default().Block(append([]jen.Code{jen.Comment(what)}, then...)...))
			continue
		}
		f.narrowFor(c.Case.Where)
		f.address = c.Case.Address
		before, cond := f.scope(c.At).Test(c.Case.Where, false)
		before = append(f.enters(c.At, c.Case.Where), before...)
		if len(before) > 0 { // they must not run before the cases above: the switch ends here, another one begins
			f.closeSwitch(cases)
			cases = nil
			f.add(before...)
		}
		cases = append(cases, jen.Case(cond).Block(append([]jen.Code{jen.Comment(what)}, then...)...))
	}
	f.closeSwitch(cases)
	if f.done = complete; complete {
		return
	}
	if op.At != nil {
		f.add(jen.Comment("No case holds."), jen.Add(f.counter("no case", op.At)).Dot("Inc").Call())
	}
}

// narrowFor notes what an expression takes for granted: that cases above it have taken the nulls away.
func (f *function) narrowFor(e model.Expr) {
	model.Walk(e, func(x model.Expr) {
		if v, ok := x.(*model.Var); ok && v.Root == model.RootKey {
			f.hand.key.narrow(v.Type)
		} else if ok && v.Root == model.RootValue {
			f.hand.value.narrow(v.Type)
		}
	})
}

func (f *function) closeSwitch(cases []jen.Code) {
	if len(cases) > 0 {
		f.add(jen.Switch().Block(cases...))
	}
}

// call goes on in other functions.
func (f *function) call(op *plan.Call) {
	for i, to := range op.To {
		before, call := f.invocation(to)
		f.add(before...)
		if i == len(op.To)-1 {
			f.add(jen.Return(call))
		} else {
			f.add(ifErr(call))
		}
	}
	f.done = true
}

// invocation is the call of a function with what it asks for, and the statements before it.
func (f *function) invocation(to *plan.Func) (before []jen.Code, call *jen.Statement) {
	var args []jen.Code
	if to.In.Record {
		args = append(args, jen.Id("r"))
	}
	in := f.input(to)
	pass := func(h *held, c plan.Carry, slot *held, suffix string) {
		if c.Raw && (!to.In.Record || c.Borrowed) {
			args = append(args, h.raw.Clone())
		}
		switch {
		case !c.Typed:
		case h.null && !isWide(c.Type):
			args = append(args, f.records.Type(c.Type).Values())
		case !isWide(c.Type):
			args = append(args, f.wrapped(h, c.Type))
		case h.field && f.callers[to] == 1 && types.IsOptional(h.typ) == types.IsOptional(c.Type):
			*slot = *h
		default:
			// Where several functions go on, or the value lies in a local, the function that is called has a field of its own.
			if slot.typed == nil {
				slot.typed = &Place{It: f.hold(c.Type, subject(to)+suffix)}
			}
			if h.typed.It == slot.typed.It { // it was made there
				break
			}
			if h.null {
				before = append(before, slot.typed.It.Clone().Dot("Valid").Op("=").False())
				break
			}
			before = append(before, slot.typed.It.Clone().Op("=").Add(f.wrapped(h, c.Type)))
			if f.callers[to] == 1 && types.IsOptional(h.typ) == types.IsOptional(c.Type) {
				h.typed, h.field = slot.typed, true
			}
		}
	}
	pass(&f.hand.key, to.In.Key, &in.key, "Key")
	pass(&f.hand.value, to.In.Value, &in.value, "In")
	if to.In.Window {
		args = append(args, f.hand.start.Clone())
	}
	if to.In.Newest {
		args = append(args, f.hand.newest.Clone())
	}
	if to.In.Timestamp {
		args = append(args, f.hand.timestamp.Clone())
	}
	if to.In.Old.Typed {
		pass(&f.hand.old, to.In.Old, &in.old, "Before")
	}
	if to.In.Was {
		args = append(args, f.hand.before.Clone())
	}
	if to.In.Headers {
		args = append(args, f.hand.headers.Clone())
	}
	return before, jen.Id("s").Dot(to.Go).Call(args...)
}

// wrapped is a value as one of type t, which may be optional where the value is not.
func (f *function) wrapped(h *held, t types.Type) *jen.Statement {
	p := *h.typed
	switch {
	case !types.IsOptional(t):
		return p.It.Clone()
	case !types.IsOptional(h.typ):
		return rt("optional", "Some").Call(p.It.Clone())
	case p.Valid != nil:
		return rt("optional", "If").Call(p.Value.Clone(), p.Valid.Clone())
	}
	return p.It.Clone()
}
