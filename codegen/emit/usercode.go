package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/names"
	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// Code of the user's: functions that are called where the spec calls them, directly and with Go's types.

// nameUsers tells a file what the user's packages are called in it.
func (e *emitter) nameUsers(f *jen.File) { nameUsers(f, e.plan) }

func nameUsers(f *jen.File, p *plan.Plan) {
	for _, i := range p.Imports {
		f.ImportAlias(i.Path, i.Name)
	}
}

// importNames are what the user's packages are called: no local is called so.
func importNames(p *plan.Plan) (list []string) {
	for _, i := range p.Imports {
		list = append(list, i.Name)
	}
	return list
}

// enters says to the task that code of the user's runs next, if a step or a case calls some: a panic is then known to be its.
func (f *function) enters(at *plan.Position, list ...model.Expr) []jen.Code {
	if !slices.ContainsFunc(list, model.CallsUser) {
		return nil
	}
	f.usesTask, f.callsUser = true, true
	task := jen.Id("s").Dot("task")
	if f.plan.In.Record || f.plan.Kind == plan.FromSource {
		return []jen.Code{task.Dot("Enter").Call(jen.Id(at.Go))}
	}
	return []jen.Code{task.Dot("EnterRow").Call(f.rowKey, jen.Id(at.Go))}
}

// opens says that the code runs while a row is being changed.
func (f *function) opens(c *change, list ...model.Expr) {
	if slices.ContainsFunc(list, model.CallsUser) {
		f.add(jen.Id("s").Dot("task").Dot("Open").Call(c.field.Clone()))
	}
}

// userFails says whether a call of a function of the user's can end with an error.
func userFails(e *model.UserCall) bool {
	return e.Function.Error || e.Function.Result.Form == model.GoPointer
}

// isOperation says whether e can fail by itself and is, as Go, one call that gives its value and an error.
func isOperation(e model.Expr) bool {
	if u, ok := e.(*model.UserCall); ok {
		return u.Function.Error && u.Function.Result.Form == model.GoPlain
	}
	return failsItself(e)
}

// userCall writes a call of a function of the user's.
func (w *writer) userCall(e *model.UserCall, hint string) code {
	fn := e.Function
	c := primary(w.goCall(e))
	if fn.Error || fn.Result.Form == model.GoPointer {
		v := jen.Id(w.Names.New(w.namesOf(e, hint)...))
		if fn.Error {
			w.add(jen.List(v.Clone(), jen.Err()).Op(":=").Add(c.Statement),
				jen.If(jen.Err().Op("!=").Nil()).Block(w.Fail(jen.Err())...))
		} else {
			w.add(v.Clone().Op(":=").Add(c.Statement))
		}
		c = variable(v)
	}
	switch {
	case fn.Result.Form == model.GoPointer:
		w.add(jen.If(c.Clone().Op("==").Nil()).Block(w.Fail(rt("task", "ErrNil"))...))
		return operator(jen.Op("*").Add(c.Statement), precUnary)
	case fn.Result.Form == model.GoTime && fn.Result.Type == types.Timestamp:
		return primary(rt("temporal", "At").Call(c.Statement))
	case fn.Result.Form == model.GoTime:
		return primary(rt("temporal", "Of").Call(c.Statement))
	}
	return c
}

// goCall is the call itself. What its arguments need runs before.
func (w *writer) goCall(e *model.UserCall) *jen.Statement {
	var args []jen.Code
	if e.Function.Context {
		args = append(args, w.Context.Clone())
	}
	for i, a := range e.Args {
		switch p := e.Function.Params[i]; {
		case p.Form == model.GoPointer:
			args = append(args, addressOf(w.local(a, "")))
		case p.Form == model.GoTime && p.Type == types.Timestamp:
			args = append(args, w.typed(a, "").in(precPrimary).Dot("Time").Call())
		case p.Form == model.GoTime:
			args = append(args, w.typed(a, "").in(precPrimary).Dot("Duration").Call())
		default:
			args = append(args, w.value(a, "").Statement)
		}
	}
	return jen.Qual(e.Function.Import, e.Function.Name).Call(args...)
}

// hasEffects says whether it makes a difference if e is evaluated: it calls a function that may have effects.
func hasEffects(e model.Expr) (effects bool) {
	model.Walk(e, func(x model.Expr) {
		u, ok := x.(*model.UserCall)
		effects = effects || ok && !u.Function.Pure
	})
	return effects
}

// userNames are what the result of a function is called: a record like its type, else like the function.
func userNames(e *model.UserCall) []string {
	label := names.Lower(e.Function.Label)
	if r, ok := types.NonNull(e.Type).(*types.Record); ok && r.Name != "" {
		return []string{names.Lower(r.Name), label + "Result"}
	}
	return []string{label, label + "Result"}
}

// guarded are the functions in which a panic of the user's must not keep others from their share of a record: one way of several,
// but for the last, and what happens to each element that a record is taken apart into.
func guarded(p *plan.SubTopology) map[*plan.Func]bool {
	g := map[*plan.Func]bool{}
	calls := map[*plan.Func]bool{}
	for _, st := range p.Stores {
		if st.Final && st.Flush != nil { // each row leaves by itself
			g[st.Flush] = reachesUser(st.Flush, calls)
		}
		if st.Ended != nil { // likewise
			g[st.Ended] = reachesUser(st.Ended, calls)
		}
	}
	for _, f := range p.Funcs {
		for i, op := range f.Ops {
			if w, ok := op.(*plan.Windows); ok && w.Late != nil {
				g[w.Late] = reachesUser(w.Late, calls)
			}
			if w, ok := op.(*plan.Wait); ok { // a record sends others on
				g[w.Then] = reachesUser(w.Then, calls)
			}
			if meet, ok := op.(*plan.Meet); ok { // a record has several results, and becomes a row behind them
				g[meet.Join.Result] = reachesUser(meet.Join.Result, calls)
			}
			call, ok := op.(*plan.Call)
			if !ok {
				continue
			}
			to := call.To[:len(call.To)-1]
			if i > 0 {
				switch f.Ops[i-1].(type) {
				case *plan.FlatMap, *plan.Windows:
					to = call.To
				}
			}
			for _, way := range to {
				g[way] = reachesUser(way, calls)
			}
		}
	}
	return g
}

// reachesUser says whether f, or what it goes on in, calls code of the user's.
func reachesUser(f *plan.Func, known map[*plan.Func]bool) bool {
	if is, ok := known[f]; ok {
		return is
	}
	for _, op := range f.Ops {
		if step := op.Base().Step; step != nil && slices.ContainsFunc(model.Exprs(step), model.CallsUser) {
			known[f] = true
		}
		if w, ok := op.(*plan.Wait); ok {
			known[f] = reachesUser(w.Then, known) || known[f]
		}
		if m, ok := op.(*plan.Meet); ok {
			known[f] = reachesUser(m.Join.Result, known) || known[f]
		}
		if c, ok := op.(*plan.Choose); ok {
			for _, k := range c.Cases {
				known[f] = known[f] || k.Case.Where != nil && model.CallsUser(k.Case.Where)
			}
		}
	}
	for _, next := range callees(f) {
		known[f] = reachesUser(next, known) || known[f]
	}
	return known[f]
}

// recovers is the statement that makes f the end of a panic of the user's.
func (f *function) recovers() jen.Code {
	f.usesTask = true
	task := jen.Id("s").Dot("task")
	if f.plan.In.Record {
		return jen.Defer().Add(task).Dot("Recover").Call(jen.Id("r"), jen.Op("&").Id("outcome"))
	}
	return jen.Defer().Add(task).Dot("RecoverRow").Call(f.rowKey, jen.Op("&").Id("outcome"))
}
