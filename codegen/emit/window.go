package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// Windows: which of them a record is in, what becomes of it in each, and how their rows leave. Keys with a window are in
// windowkey.go.

// windows finds the windows of a record. In each that it is not too late for, what stands behind happens: here, or with a Call for each.
func (f *function) windows(op *plan.Windows, next []plan.Op) int {
	st, w := op.Store, op.Store.Window
	f.add(comment(st.Make.Base().Address + ": " + windowText(w)))
	switch st.Kind {
	case plan.Sessions:
		return f.sessions(op, next)
	case plan.Sliding:
		return f.slides(op, next)
	}
	timestamp := f.hand.timestamp
	f.add(storeField(st).Dot("Advance").Call(jen.Lit(op.Input), timestamp.Clone()))
	if st.Panes {
		f.panes(op, next)
		return 2
	}
	start := jen.Id(f.names.New("start"))
	f.hand.start = start
	if w.Kind == model.Unlimited {
		f.add(
			jen.If(timestamp.Clone().Op("<").Lit(int(w.Start))).Block(
				jen.Add(f.counter("before window", op.At)).Dot("Inc").Call(),
				jen.Return(jen.Nil())),
			jen.Const().Add(start.Clone()).Op("=").Lit(int(w.Start)))
		return 1
	}
	size := millis(w.Size.Milliseconds())
	late := jen.Add(f.counter("late", op.At)).Dot("Inc").Call()
	isLate := storeField(st).Dot("Late").Call(start.Clone())
	if w.Kind == model.Tumbling {
		f.add(start.Clone().Op(":=").Add(rt("window", "TumblingStart")).Call(timestamp.Clone(), size))
		end := []jen.Code{late}
		if op.Late != nil {
			before, call := f.invocation(op.Late)
			end = append(append(end, before...), jen.Return(call))
		} else {
			end = append(end, jen.Return(jen.Nil()))
		}
		f.add(jen.If(isLate).Block(end...))
		if !st.Final {
			return 1
		}
		f.callEach(next[0].(*plan.Call))
		f.closes(st)
		return 2
	}
	n := jen.Id(f.names.New("n"))
	advance := millis(w.Advance.Milliseconds())
	f.add(jen.List(start.Clone(), n.Clone()).Op(":=").Add(rt("window", "Hopping")).Call(timestamp.Clone(), size, advance.Clone()))
	if op.Late != nil { // the first window is the one that closes first
		before, call := f.invocation(op.Late)
		f.add(jen.If(n.Clone().Op(">").Lit(0).Op("&&").Add(isLate.Clone())).Block(append(before, ifErr(call))...))
	}
	each := jen.If(isLate.Clone()).Block(late).Else()
	if calls := f.block(func() { f.callEach(next[0].(*plan.Call)) }); len(calls) == 1 {
		each.Add(calls[0]) // which is an if
	} else {
		each.Block(calls...)
	}
	f.add(jen.For(jen.Range().Add(n.Clone())).Block(each, start.Clone().Op("+=").Add(advance.Clone())))
	if st.Final {
		f.closes(st)
	}
	return 2
}

// goesOnTwice says whether what is behind an operation is written twice: for sessions that go and the one that they become, and for a
// sliding window that the record is in or not.
func goesOnTwice(op plan.Op) bool {
	u, ok := op.(*plan.Update)
	return ok && (u.Store.Kind == plan.Sessions || u.Store.Kind == plan.Sliding)
}

// closes lets the rows of the windows leave that the record has closed. What is left of many leaves before the next record.
func (f *function) closes(st *plan.Store) {
	f.add(jen.If(storeField(st).Dot("Due").Call()).Block(
		jen.If(jen.List(jen.Id("_"), jen.Err()).Op(":=").Add(f.sub.closeCall(st)), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))))
}

func (s *sub) closeCall(st *plan.Store) *jen.Statement {
	if st.TTL > 0 {
		return storeField(st).Dot("Close").Call(rt("state", "CloseStep"), ended(st))
	}
	if st.Kind == plan.Subscriptions {
		return storeField(st).Dot("Close").Call(rt("state", "CloseStep"))
	}
	if st.Flush == nil { // nobody takes the rows on; they expire behind those that have left
		nothing := jen.Func().Params(jen.Int64(), jen.Int64(), jen.Index().Byte(), jen.Op("*").Add(rt("state", "Row")).Index(s.records.Type(rowType(st)))).
			Error().Block(jen.Return(jen.Nil()))
		return storeField(st).Dot("Close").Call(rt("state", "CloseStep"), nothing)
	}
	return storeField(st).Dot("Close").Call(rt("state", "CloseStep"), jen.Id("s").Dot(st.Flush.Go))
}

// windowText is a window as its comment has it.
func windowText(w *model.Window) string {
	switch w.Kind {
	case model.Hopping:
		return "hopping windows of " + types.Length(w.Size) + " every " + types.Length(w.Advance) + ", grace " + types.Length(w.Grace)
	case model.Unlimited:
		return "one window from then on"
	case model.Session:
		return "sessions with a gap of " + types.Length(w.Size) + ", grace " + types.Length(w.Grace)
	}
	return w.Kind.String() + " windows of " + types.Length(w.Size) + ", grace " + types.Length(w.Grace)
}

// rowCall is the call of a store's method for the row of the key, and of the window if there is one.
func (f *function) rowCall(s *plan.Store, method string, more ...jen.Code) *jen.Statement {
	args := []jen.Code{f.hand.key.raw.Clone()}
	if f.hand.start != nil && (s.Kind == plan.Windowed || s.Kind == plan.Sliding) {
		method += "At"
		args = append([]jen.Code{f.hand.start.Clone()}, args...)
	}
	return storeField(s).Dot(method).Call(append(args, more...)...)
}

// finals are the stores whose rows leave when their windows close, with somebody to take them on, and those whose rows end.
func (s *sub) finals() (list []*plan.Store) {
	for _, st := range s.plan.Stores {
		if st.TTL > 0 || st.Final && st.Flush != nil {
			list = append(list, st)
		}
	}
	return list
}

// departure is rows that leave by stream time: whether there may be some, and the statements that let a bounded number leave and set more
// and err.
type departure struct {
	due   *jen.Statement
	leave []jen.Code
}

// departures are what leaves by stream time, in the order of the stores, with somebody to take it on, and what is told to those who are
// subscribed to rows. What leaves may change such rows: that is told before more leaves.
func (s *sub) departures() (list []departure) {
	more := jen.List(jen.Id("more"), jen.Err())
	var tells []departure
	for _, st := range s.subscriptions() {
		tells = append(tells, departure{storeField(st).Dot("Due").Call(), []jen.Code{more.Clone().Op("=").Add(s.closeCall(st))}})
	}
	for _, st := range s.finals() {
		list = append(list, departure{storeField(st).Dot("Due").Call(), []jen.Code{more.Clone().Op("=").Add(s.closeCall(st))}})
	}
	for _, l := range s.leaves {
		overdue := l.store.Clone().Dot("Overdue").Call()
		list = append(list, departure{overdue, []jen.Code{
			jen.Err().Op("=").Id("s").Dot(l.method).Call(rt("state", "Never")),
			jen.Id("more").Op("=").Add(overdue.Clone()),
		}})
	}
	if len(list) > 0 {
		list = append(slices.Clone(tells), list...)
	}
	return append(list, tells...)
}

// closing writes the method that lets leave what is due, if there is such.
func (s *sub) closing(f *file) {
	list := s.departures()
	if len(list) == 0 {
		return
	}
	what := "lets leave what stream time has passed and has not left"
	switch tells := len(s.subscriptions()); {
	case tells == len(list):
		what = "tells rows that changed to those who are subscribed to them"
	case tells > 0:
		what += ", and tells rows that changed to those who are subscribed to them"
	}
	f.Line().Add(comment("close " + what + ": a bounded number of rows at a time. more says that some are left."))
	var body []jen.Code
	for i, d := range list {
		leave := d.leave
		if i < len(list)-1 {
			leave = append(leave, jen.If(jen.Id("more").Op("||").Err().Op("!=").Nil()).Block(jen.Return(jen.Id("more"), jen.Err())))
		}
		body = append(body, jen.If(d.due).Block(leave...))
	}
	f.Func().Params(jen.Id("s").Op("*").Id(s.plan.Go)).Id("close").Params().
		Params(jen.Id("more").Bool(), jen.Err().Error()).Block(append(body, jen.Return(jen.Id("more"), jen.Err()))...)
}

// idles lets stream time pass in the stores that wait for it, while the sources are silent.
func (s *sub) idles() (list []jen.Code) {
	for _, i := range s.plan.Idles {
		field := storeField(i.Store)
		if i.Store.Join != nil {
			field = jen.Id("s").Dot(i.Store.Join.Go)
		}
		behind := jen.Lit(0)
		if i.Behind > 0 {
			behind = durationLiteral(i.Behind.Milliseconds()).Statement
		}
		args := []jen.Code{field, behind}
		if len(i.Sources) < len(s.plan.Sources) {
			for _, src := range i.Sources {
				args = append(args, jen.Id(src.Go))
			}
		}
		list = append(list, jen.Id("t").Dot("Idle").Call(args...))
	}
	return list
}

// closesBefore is the statement that lets rows leave before the record at index next of the batch; the batch is given back if some are
// left: what was done is then committed if need be, and Process is called again.
func closesBefore(next *jen.Statement) jen.Code {
	return jen.If(jen.List(jen.Id("more"), jen.Err()).Op(":=").Id("s").Dot("close").Call(), jen.Id("more").Op("||").Err().Op("!=").Nil()).Block(
		jen.List(jen.Id("b").Dot("Next"), jen.Id("b").Dot("More")).Op("=").List(next, jen.Id("more")),
		jen.Return(jen.Err()))
}

// windowedStore is the type of a store of windows and the call that makes it.
func (s *sub) windowedStore(st *plan.Store) (typ, make *jen.Statement) {
	row := s.records.Type(rowType(st))
	if st.Kind != plan.Windowed {
		return s.spanStore(st, row)
	}
	if st.Panes {
		return s.panesStore(st)
	}
	forever := func(ms int64, unlimited bool) jen.Code {
		if unlimited {
			return rt("window", "Forever")
		}
		return millis(ms)
	}
	unlimited := st.Window.Kind == model.Unlimited
	options := []jen.Code{keyed("Size", forever(st.WindowSize(), unlimited))}
	if st.Make != nil && !unlimited {
		options = append(options, keyed("Grace", millis(st.Window.Grace.Milliseconds())))
	}
	options = append(options, keyed("Retention", forever(st.Retention(), unlimited)))
	options = append(options, inputsOf(st)...)
	if st.Final {
		options = append(options, keyed("Final", jen.True()))
	}
	return jen.Op("*").Add(rt("state", "Windowed")).Index(row),
		keepSent(st, rt("state", "NewWindowed").Call(jen.Id("t").Dot("Stores"), jen.Id(storeConst(st)), s.records.Codec(rowType(st)),
			rt("state", "WindowedOptions").Values(options...)))
}

// fromWindows writes the function that takes the rows of a windowed store on, at a commit or when their window closes.
func (s *sub) fromWindows(st *plan.Store) {
	p := st.Flush
	f := s.newFunction(p, "start", "end", "key", "row", "exists")
	f.rowKey, f.rowN = jen.Id("key"), 1
	f.bounds = &bounds{jen.Id("key"), jen.Id("start"), jen.Id("end")}
	switch {
	case !p.ReadsKey():
		f.hand.key = held{typ: p.In.Key.Type, format: p.In.Key.Format}
	case st.Kind == plan.Sessions:
		f.hand.key = f.sessionKey(p.In.Key, jen.Id("key"), jen.Id("start"), jen.Id("end"))
	default:
		f.hand.key = f.windowedKey(p.In.Key, jen.Id("key"), jen.Id("start"))
	}
	optional := types.IsOptional(p.In.Value.Type)
	f.hand.value = f.tableValue(st, p.In.Value.Type, jen.Id("row"), jen.Id("exists"), s.makingPosition(st))
	f.hand.timestamp = jen.Id("row").Dot("Timestamp")
	f.hand.headers = storeField(st).Dot("Headers").Call(jen.Id("row"))
	params := []jen.Code{
		jen.List(jen.Id("start"), jen.Id("end")).Int64(), jen.Id("key").Index().Byte(),
		jen.Id("row").Op("*").Add(rt("state", "Row")).Index(s.records.Type(rowType(st))),
	}
	switch {
	case st.Final && optional: // what leaves is there
		f.hand.value = held{typ: p.In.Value.Type, typed: &Place{Valid: jen.True(), Value: jen.Id("row").Dot("Value")}}
	case st.Final:
	case optional:
		params = append(params, jen.Id("exists").Bool())
	default:
		params = append(params, jen.Id("_").Bool())
	}
	f.flushed(st)
	f.write(params...)
}
