package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// fold makes the next state of the row, which begins as init. A null takes the row away.
func (f *function) fold(op *plan.Update, step *model.Fold, after []plan.Op) {
	c := f.updateRow(op.Store, !op.Store.Final || !isZero(step.Init) || types.IsOptional(step.Add.Base().Type))
	s := f.rowScope(op, c)
	f.opens(c, step.Init, step.Add)
	s.Agg = f.begun(op, c, s, step.Init)
	next := f.state("next", s, step.Add, f.slot(after, step.Add.Base().Type, "next"))
	f.settle(c, next)
}

// begun is the state that a record finds: the row's, or init where there is no row.
func (f *function) begun(op *plan.Update, c *change, s *Scope, init model.Expr) Place {
	t := op.Store.Value
	if isZero(init) { // so is the value of a row that is not there
		return Place{It: c.value()}
	}
	agg := f.copied(t, c.value(), "agg")
	f.add(jen.If(jen.Op("!").Add(c.existed.Clone())).Block(f.block(func() { f.add(s.Assign(agg, init)...) })...))
	return Place{It: agg}
}

// isZero says whether an expression is what Go has in a variable without a value.
func isZero(e model.Expr) bool {
	switch e := e.(type) {
	case *model.Const:
		switch v := e.Value.(type) {
		case string:
			return v == ""
		case int64:
			_, isEnum := e.Type.(*types.Enum)
			return v == 0 && !isEnum
		case bool:
			return !v
		}
	case *model.New:
		for _, x := range e.Fields {
			if !isZero(x) {
				return false
			}
		}
		return true
	}
	return false
}

// copied writes a copy of a value of type t, which shares what cannot be written: into a field of the struct if it is wide, else into a
// local.
func (f *function) copied(t types.Type, value *jen.Statement, name string) *jen.Statement {
	if isWide(t) {
		v := f.sub.hold(t, name, name+upperFirst(subject(f.plan)))
		f.add(v.Clone().Op("=").Add(value))
		return v
	}
	v := jen.Id(f.names.New(name))
	f.add(v.Clone().Op(":=").Add(value))
	f.declared(v)
	return v
}

// state works out a state, a record in the field dst if that is given.
func (f *function) state(name string, s *Scope, e model.Expr, dst *jen.Statement) held {
	t := e.Base().Type
	if isWide(t) {
		if dst == nil {
			dst = f.hold(t, name)
		}
		f.add(s.Assign(dst, e)...)
		return held{typ: t, typed: &Place{It: dst}, field: true}
	}
	before, v := s.Var(name, e)
	f.add(before...)
	return held{typ: t, typed: &Place{It: v}}
}

// deletes takes a row away that is there.
func (f *function) deletes(s *plan.Store) jen.Code {
	if s.Kind == plan.Sliding { // it may be there for the record only
		return jen.If(jen.List(jen.Id("there"), jen.Err()).Op(":=").Add(f.deleteRow(s)), jen.Err().Op("!=").Nil().Op("||").Op("!").Id("there")).Block(jen.Return(jen.Err()))
	}
	return jen.If(jen.List(jen.Id("_"), jen.Err()).Op(":=").Add(f.deleteRow(s)), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
}

// settle makes next the row, or without a value takes the row away. What changes nothing ends here: see unless. What goes on is next, with the
// latest time.
func (f *function) settle(c *change, next held) {
	timestamp := jen.Id(f.names.New("timestamp"))
	f.add(timestamp.Clone().Op(":=").Id("max").Call(c.timestamp(), f.hand.timestamp.Clone()))
	f.hand.timestamp = timestamp
	t := types.NonNull(next.typ)
	replaces := func(v *jen.Statement) {
		same := c.existed.Clone().Op("&&").Add(c.timestamp()).Op("==").Add(timestamp.Clone()).Op("&&").Add(f.records.Equal(t, c.value(), v, false))
		f.unless(c, same, func() {
			f.add(f.keepCells(c.store, c.value(), v)...)
			f.add(c.timestamp().Op("=").Add(timestamp.Clone()))
			f.changedBy(c.store)
		})
	}
	if !types.IsOptional(next.typ) {
		replaces(next.typed.It)
		f.hand.value = next
		return
	}
	deletes := f.block(func() {
		if f.repeats {
			f.add(jen.If(c.existed).Block(f.deletes(c.store)).Else().Block(c.field.Clone().Dot("Unchanged").Call()))
			return
		}
		f.add(
			jen.If(jen.Op("!").Add(c.existed.Clone())).Block(c.leaves()...),
			f.deletes(c.store))
		f.changedBy(c.store)
	})
	f.add(jen.If(next.absent()).Block(deletes...).Else().Block(f.block(func() {
		replaces(next.it())
	})...))
	f.hand.value = next
}
