package emit

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/names"
	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/library"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// hand is what is at hand at one point of a function, as Go.
type hand struct {
	key, value         held
	timestamp, headers *jen.Statement // int64, []record.Header
	start              *jen.Statement // int64: of one of its windows; nil: they are not known

	newest *jen.Statement // bool: of the change of a row with a history

	// The row that a change replaces, optional, if something asks for it, and perhaps its time, which means nothing without it.
	old    held
	before *jen.Statement // int64
	zero   bool           // before is 0 where there is no old row
}

// held is a key or value in the forms that are at hand.
type held struct {
	typ      types.Type
	raw      *jen.Statement // its bytes, nil for null; nil if they are not at hand
	format   plan.Format    // of raw
	borrowed bool           // raw is valid for a while only: what is sent is copied
	typed    *Place         // nil if it was not decoded
	field    bool           // typed lies in the struct: functions that are called see it there
	null     bool           // it is the constant null
	sure     bool           // it is there, whatever its type says
}

// function is a method in the making.
type function struct {
	*sub
	plan  *plan.Func
	names *Names
	hand  hand
	body  []jen.Code
	done  bool             // the body returns
	rows  map[string]Place // of joins, while their value is made
	agg   Place
	cells []Place // results of aggregators

	alone []jen.Code // counts what meets no row, while one is looked up

	tooLate *jen.Statement // counts a record that is too late to make a row; nil: none is

	notes    bool    // the row that is changed next is wanted as it is
	notesWas bool    // and its time
	repeats  bool    // a row that stays as it was goes on
	locals   []local // that a spec could leave unread
	rowN     int     // rows of stores that have a name

	entering *plan.Position // of the operation in hand
	address  string         // of the step that is being written

	windowKey *jen.Statement // scratch memory for a key with its window

	rowKey jen.Code // without a record: the key's bytes, for an error to name
	bounds *bounds  // of the window of the row at hand
}

// local is a variable, and the place behind its declaration where it is marked as used if nothing reads it; nil: its name goes instead.
type local struct{ name, mark *jen.Statement }

func (f *function) add(c ...jen.Code) { f.body = append(f.body, c...) }

// newFunction begins a method in which the names given are taken.
func (s *sub) newFunction(p *plan.Func, taken ...string) *function {
	taken = append(taken, importNames(s.emitter.plan)...)
	return &function{sub: s, plan: p, names: NewNames(append(taken, "s", "err", "rows", "outcome")...), rows: map[string]Place{}, address: "func." + subject(p)}
}

// fromSource writes the functions that take the records of a source.
func (s *sub) fromSource(src *plan.Source) {
	for _, p := range []*plan.Func{src.Entry, src.Turn} {
		if p != nil {
			s.fromRecord(src, p)
		}
	}
}

func (s *sub) fromRecord(src *plan.Source, p *plan.Func) {
	f := s.newFunction(p, "r")
	f.hand = hand{
		key:       held{typ: p.In.Key.Type, raw: jen.Id("r").Dot("Key"), format: src.Key},
		value:     held{typ: p.In.Value.Type, raw: jen.Id("r").Dot("Value"), format: src.Value},
		timestamp: jen.Id("r").Dot("Timestamp"),
		headers:   jen.Id("r").Dot("Headers"),
	}
	f.write(jen.Id("r").Op("*").Add(rt("record", "Record")))
}

// called writes a function that others go on in. Its parameters are the record, if there is one, and what the record has not:
// Plan.In says what that is. Records lie in the struct.
func (s *sub) called(p *plan.Func) {
	in := s.inputs[p]
	f := s.newFunction(p, "r")
	var params []jen.Code
	param := func(name string, typ *jen.Statement) *jen.Statement {
		n := f.names.New(name, name+"In")
		params = append(params, jen.Id(n).Add(typ))
		return jen.Id(n)
	}
	if p.In.Record {
		params = append(params, jen.Id("r").Op("*").Add(rt("record", "Record")))
		f.hand = hand{timestamp: jen.Id("r").Dot("Timestamp"), headers: jen.Id("r").Dot("Headers")}
	}
	hold := func(c plan.Carry, name, field string, in *held) held {
		h := held{typ: c.Type, format: c.Format, borrowed: c.Borrowed}
		switch {
		case !c.Raw:
		case p.In.Record && !c.Borrowed:
			h.raw = jen.Id("r").Dot(field)
		default:
			h.raw = param(name, jen.Index().Byte())
		}
		switch {
		case !c.Typed:
		case isWide(c.Type):
			h.typed, h.field = in.typed, true
		default:
			h.typed = &Place{It: param(name, s.records.Type(c.Type))}
		}
		return h
	}
	f.hand.key = hold(p.In.Key, "key", "Key", &in.key)
	f.hand.value = hold(p.In.Value, "value", "Value", &in.value)
	if f.rowKey = jen.Nil(); f.hand.key.raw != nil {
		f.rowKey = f.hand.key.raw
	}
	if p.In.Window {
		f.hand.start = param("start", jen.Int64())
	}
	if p.In.Newest {
		f.hand.newest = param("newest", jen.Bool())
	}
	if p.In.Timestamp {
		f.hand.timestamp = param("timestamp", jen.Int64())
	}
	if p.In.Old.Typed {
		f.hand.old = hold(p.In.Old, "old", "", &in.old)
	}
	if p.In.Was {
		f.hand.before = param("before", jen.Int64())
	}
	if p.In.Headers {
		f.hand.headers = param("headers", jen.Index().Add(rt("record", "Header")))
	}
	f.write(params...)
}

// fromFlush writes the function that takes the changed rows of a store on at a commit.
func (s *sub) fromFlush(st *plan.Store) {
	switch st.Kind {
	case plan.Windowed, plan.Sliding, plan.Sessions:
		s.fromWindows(st)
		return
	case plan.Suppressed:
		s.fromSuppress(st)
		return
	}
	p := st.Flush
	f := s.newFunction(p, "key", "row", "exists")
	f.rowKey, f.rowN = jen.Id("key"), 1 // the changed row is the first
	f.hand = hand{
		key:       held{typ: p.In.Key.Type, raw: jen.Id("key"), format: p.In.Key.Format, borrowed: true},
		value:     f.tableValue(st, p.In.Value.Type, jen.Id("row"), jen.Id("exists"), s.makingPosition(st)),
		timestamp: jen.Id("row").Dot("Timestamp"),
		headers:   jen.Id("s").Dot(st.Go).Dot("Headers").Call(jen.Id("row")),
	}
	exists := "exists"
	if !types.IsOptional(p.In.Value.Type) {
		exists = "_"
	}
	f.flushed(st)
	f.write(jen.Id("key").Index().Byte(), jen.Id("row").Op("*").Add(rt("state", "Row")).Index(s.records.Type(rowType(st))), jen.Id(exists).Bool())
}

// tableValue is the value, of type t, of the table whose row row points at; exists is the condition that it is there.
func (f *function) tableValue(st *plan.Store, t types.Type, row, exists *jen.Statement, at *plan.Position) held {
	it := rowValue(st, row)
	if st.State != nil && types.IsOptional(t) {
		return held{typ: t, typed: &Place{Valid: exists, Value: f.resultIf(st, row, exists, at, names.Lower(st.Name))}}
	}
	if st.State != nil {
		f.cells = f.cellResults(st, it)
		return f.compute("value", stateValue(st), at, nil)
	}
	if types.IsOptional(t) {
		return held{typ: t, typed: &Place{Valid: exists, Value: it}}
	}
	return held{typ: t, typed: &Place{It: it}}
}

// declared notes a variable that the steps behind it need not read: a join that ignores its row, a time that is replaced.
func (f *function) declared(v *jen.Statement) {
	l := local{v, jen.Null()}
	f.locals = append(f.locals, l)
	f.add(l.mark)
}

// listed notes a variable that is declared beside others and need not be read, by the place where it is declared.
func (f *function) listed(v *jen.Statement) { f.locals = append(f.locals, local{name: v}) }

// markUnread makes the variables that nothing reads count as used.
func (f *function) markUnread() {
	if len(f.locals) == 0 {
		return
	}
	read := variables(f.body)
	for _, l := range f.locals {
		if name := l.name.GoString(); token.IsIdentifier(name) && !read[name] {
			if l.mark == nil {
				*l.name = *jen.Id("_")
			} else {
				l.mark.Id("_").Op("=").Id(name)
			}
		}
	}
}

// variables are those that a body of a function reads.
func variables(body []jen.Code) map[string]bool {
	return reads("package p\n" + jen.Func().Id("f").Params().Block(body...).GoString())
}

// reads are the variables that a Go file reads.
func reads(src string) map[string]bool {
	file, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
	if err != nil {
		return nil // rendering the file says what is wrong with it
	}
	read := map[string]bool{}
	written := map[*ast.Ident]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				if id, ok := x.(*ast.Ident); ok && (n.Tok == token.ASSIGN || n.Tok == token.DEFINE) {
					written[id] = true
				}
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				written[id] = true
			}
		case *ast.RangeStmt:
			for _, x := range []ast.Expr{n.Key, n.Value} {
				if id, ok := x.(*ast.Ident); ok {
					written[id] = true
				}
			}
		case *ast.SelectorExpr:
			written[n.Sel] = true
		case *ast.Ident:
			read[n.Name] = read[n.Name] || !written[n]
		}
		return true
	})
	return read
}

// makingPosition is the position of the step that makes a store's rows; nil if it can neither refuse nor drop.
func (s *sub) makingPosition(st *plan.Store) *plan.Position {
	for _, fn := range s.plan.Funcs {
		for _, op := range fn.Ops {
			if u, ok := op.(*plan.Update); ok && u.Store == st {
				return u.At
			}
		}
	}
	return nil
}

// write writes the method with the given parameters, and the functions it calls.
func (f *function) write(params ...jen.Code) {
	for i := 0; i < len(f.plan.Ops); {
		i += f.op(f.plan.Ops[i:])
	}
	switch {
	case f.plan.Kind == plan.FromRows:
		f.givesRow()
	case f.plan.Kind == plan.FromTurn:
		f.add(jen.Return(f.hand.timestamp.Clone()))
	case !f.done:
		f.add(jen.Return(jen.Nil()))
	}
	f.markUnread()
	result := jen.Error()
	if f.guarded[f.plan] {
		result = jen.Params(jen.Id("outcome").Error())
		f.body = append([]jen.Code{f.recovers()}, f.body...)
	}
	if f.plan.Kind == plan.FromTurn {
		result = jen.Int64()
	}
	if f.plan.Kind == plan.FromRows {
		result = jen.Params(jen.Id("exists").Bool(), jen.Id("timestamp").Int64(), jen.Err().Error())
	}
	f.methods[f.plan] = comment(f.plan.Go + " " + f.plan.Doc).Line().
		Func().Params(jen.Id("s").Op("*").Id(f.sub.plan.Go)).Id(f.plan.Go).Params(params...).Add(result).Block(f.body...)
	for _, callee := range callees(f.plan) {
		if f.methods[callee] == nil {
			f.called(callee)
		}
	}
}

// reject ends the record, or the changed row, because of an error of the given class at a step.
func (f *function) reject(at *plan.Position, class string) Fail {
	if f.plan.Kind == plan.FromTurn {
		return func(*jen.Statement) []jen.Code { return []jen.Code{jen.Return(jen.Lit(-1))} }
	}
	if f.plan.Kind == plan.FromRows { // what cannot be worked out is not there
		return func(*jen.Statement) []jen.Code { return []jen.Code{jen.Return(jen.False(), jen.Lit(0), jen.Nil())} }
	}
	return func(err *jen.Statement) []jen.Code { return []jen.Code{jen.Return(f.rejection(at, class, err))} }
}

// rejection is the call that rejects the record, or the changed row: its result is nil if it is skipped.
func (f *function) rejection(at *plan.Position, class string, err *jen.Statement) *jen.Statement {
	f.usesTask = true
	task := jen.Id("s").Dot("task")
	if f.plan.In.Record || f.plan.Kind == plan.FromSource {
		return task.Dot("Reject").Call(jen.Id("r"), jen.Id(at.Go), rt("task", class), err)
	}
	return task.Dot("RejectRow").Call(f.rowKey, jen.Id(at.Go), rt("task", class), err)
}

// scope is what an expression of a step sees now.
func (f *function) scope(at *plan.Position) *Scope {
	s := &Scope{
		Records:  f.records,
		Names:    f.names,
		About:    f.about(),
		Key:      f.hand.key.place(),
		Value:    f.hand.value.place(),
		Previous: func(t types.Type) Place { return f.hand.old.asked(t) },
		Agg:      f.agg,
		Headers:  f.hand.headers,
		Context:  jen.Id("s").Dot("task").Dot("Context").Call(),
		Join:     func(as string) Place { return f.rows[as] },
		Variable: func(label string) *jen.Statement {
			f.usesVariables = true
			return jen.Id("s").Dot("variables").Dot(f.variableField(label))
		},
		Origin: func(part string) *jen.Statement {
			if part == "Offset" {
				return jen.Id("r").Dot("Offset")
			}
			f.usesTask = true
			return jen.Id("s").Dot("task").Dot(part + "Of").Call(jen.Id("r"))
		},
		Aggregators: f.cells,
		Text:        jen.Id("s").Dot("text"),
		UsesText:    &f.usesText,
		Buffer:      f.sub.hold,
		Ready: func(kind library.Constant, text string) *jen.Statement {
			return f.readyVar(kind, text, f.address)
		},
	}
	if f.hand.timestamp != nil {
		s.Timestamp = rt("temporal", "Timestamp").Call(f.hand.timestamp.Clone())
	}
	if at != nil || f.plan.Kind == plan.FromRows {
		s.Fail = f.reject(at, "BadLogic")
	}
	return s
}

// about is what the step in hand is about: the label of its block.
func (f *function) about() string {
	if parts := strings.Split(f.address, "."); len(parts) > 2 && parts[0] != "func" {
		return names.Lower(parts[1])
	}
	return ""
}

// place is the value for an expression. Of bytes alone it can tell whether they are null.
func (h held) place() Place {
	if h.typed != nil {
		return *h.typed
	}
	if h.raw == nil {
		return Place{}
	}
	return Place{Valid: notNil(h.raw), Null: isNil(h.raw)}
}

// there is the condition that the value is not null, absent that it is.
func (h held) there() *jen.Statement {
	switch {
	case h.raw != nil:
		return notNil(h.raw)
	case h.typed.Valid != nil:
		return h.typed.Valid.Clone()
	}
	return h.typed.It.Clone().Dot("Valid")
}

func (h held) absent() *jen.Statement {
	switch {
	case h.raw != nil:
		return isNil(h.raw)
	case h.typed.Null != nil:
		return h.typed.Null.Clone()
	case h.typed.Valid != nil:
		return negated(h.typed.Valid)
	}
	return jen.Op("!").Add(h.typed.It.Clone()).Dot("Valid")
}

// narrow notes the type that the value has from here on: perhaps it is known not to be null any more.
func (h *held) narrow(t types.Type) {
	if types.IsOptional(t) || !types.IsOptional(h.typ) {
		return
	}
	h.typ = t
	switch {
	case h.typed == nil:
	case h.typed.Value != nil:
		h.typed = &Place{It: h.typed.Value, Pointer: h.typed.Pointer}
	default:
		h.typed = &Place{It: h.typed.It.Clone().Dot("Value")}
	}
}

// isWide says whether values of t lie in the struct: those that hold a record.
func isWide(t types.Type) bool { return IsRecord(types.NonNull(t)) }

// compute writes e and returns where its value is. Records go into a field, dst if it is given; others into a local named
// after name.
func (f *function) compute(name string, e model.Expr, at *plan.Position, dst *jen.Statement) held {
	t := e.Base().Type
	if c, ok := e.(*model.Const); ok && c.Value == nil && types.IsOptional(t) {
		zero := jen.Parens(f.records.Type(t).Values())
		return held{typ: t, typed: &Place{It: zero}, null: true}
	}
	return f.computeIn(f.scope(at), name, e, dst)
}

// computeIn is compute in a scope of its own; what dst is given for need not be a record.
func (f *function) computeIn(s *Scope, name string, e model.Expr, dst *jen.Statement) held {
	t := e.Base().Type
	if dst == nil && isWide(t) {
		dst = f.made(t, name)
	}
	if dst != nil {
		f.add(s.Assign(dst, e)...)
		return held{typ: t, typed: &Place{It: dst}, field: true}
	}
	before, v := s.Var(name, e)
	f.add(before...)
	f.declared(v)
	return held{typ: t, typed: &Place{It: v}}
}

// slot is the field that the next operation wants a value of type t in: that of the one function that goes on with it, if
// others do so too. Nil if there is none. It has the name given, or one of the function.
func (f *function) slot(next []plan.Op, t types.Type, name string) *jen.Statement {
	to := f.sharedCallee(next)
	if to == nil {
		return nil
	}
	return f.fieldOf(to, to.In.Value, &f.input(to).value, t, name, "In")
}

// oldSlot is slot for the row that a change replaces.
func (f *function) oldSlot(next []plan.Op, t types.Type, name string) *jen.Statement {
	to := f.sharedCallee(next)
	if to == nil {
		return nil
	}
	return f.fieldOf(to, to.In.Old, &f.input(to).old, t, name, "Before")
}

// sharedCallee is the one function that goes on, if others go on in it too.
func (f *function) sharedCallee(next []plan.Op) *plan.Func {
	if len(next) == 0 {
		return nil
	}
	call, ok := next[0].(*plan.Call)
	if !ok || len(call.To) != 1 || f.callers[call.To[0]] == 1 {
		return nil
	}
	return call.To[0]
}

func (f *function) fieldOf(to *plan.Func, c plan.Carry, in *held, t types.Type, name, suffix string) *jen.Statement {
	if !c.Typed || !isWide(c.Type) || types.IsOptional(c.Type) != types.IsOptional(t) {
		return nil
	}
	if in.typed == nil {
		own := subject(to) + suffix
		if name == "" {
			name = own
		}
		in.typed = &Place{It: f.sub.hold(c.Type, name, own)}
	}
	return in.typed.It
}

// input is what is at hand where a function begins that others call.
func (s *sub) input(p *plan.Func) *hand {
	in := s.inputs[p]
	if in == nil {
		in = &hand{}
		s.inputs[p] = in
	}
	return in
}

// subject is what a function is about, from its name: readOrders is about orders.
func subject(p *plan.Func) string {
	for _, verb := range [...]string{"read", "put", "to", "flush", "leave", "close", "end", "turn", "row", "join", "joined", "meet", "waited"} {
		if rest, ok := strings.CutPrefix(p.Go, verb); ok && rest != "" && rest == upperFirst(rest) {
			return lowerFirst(rest)
		}
	}
	return p.Go
}

// hold makes a field for a value of type t, named after its type, else by what the function is about.
func (f *function) hold(t types.Type, name string) *jen.Statement {
	candidates := []string{name}
	about := upperFirst(subject(f.plan))
	if r, ok := types.NonNull(t).(*types.Record); ok {
		typ := f.records.declared(r).Name
		if name == "value" || name == "key" {
			base := names.Lower(typ)
			candidates = []string{base}
			if about != upperFirst(base) {
				candidates = append(candidates, base+about)
			}
			return f.sub.hold(t, append(candidates, base+upperFirst(name))...)
		}
		if typ = upperFirst(typ); len(typ) < len(about) {
			candidates = append(candidates, name+typ)
		}
	}
	return f.sub.hold(t, append(candidates, name+about)...)
}

// made is hold for a value that is made whole for each record. Functions that take the records of sources have such fields in common,
// since one of them is at work at a time.
func (f *function) made(t types.Type, name string) *jen.Statement {
	if !slices.ContainsFunc(f.sub.plan.Sources, func(src *plan.Source) bool { return src.Entry == f.plan }) || f.callers[f.plan] > 0 {
		return f.hold(t, name)
	}
	typ := f.records.Type(t).GoString()
	for i := range f.scratch {
		x := &f.scratch[i]
		if x.made != nil && x.made != f.plan && x.name == name && x.typ.GoString() == typ {
			x.made = f.plan
			return jen.Id("s").Dot(x.name)
		}
	}
	v := f.hold(t, name)
	f.scratch[len(f.scratch)-1].made = f.plan
	return v
}

// newRow names a row of a store, and whether it was there: row, existed.
func (f *function) newRow(st *plan.Store) (row, existed *jen.Statement) {
	f.rowN++
	if f.rowN == 1 {
		return jen.Id("row"), jen.Id("existed")
	}
	return jen.Id(f.names.New(st.Go + "Row")), jen.Id(f.names.New(st.Go + "Existed"))
}
