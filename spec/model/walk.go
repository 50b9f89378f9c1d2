package model

// Walk visits e and all its parts, outermost first, in the order of evaluation. A nil expression has no parts.
func Walk(e Expr, visit func(Expr)) {
	if e == nil {
		return
	}
	visit(e)
	for _, p := range Parts(e) {
		Walk(p, visit)
	}
}

// Parts is the expressions directly below e, in the order of evaluation.
func Parts(e Expr) []Expr {
	switch e := e.(type) {
	case *Field:
		return []Expr{e.X}
	case *List:
		return e.Items
	case *Dict:
		var parts []Expr
		for i, k := range e.Keys {
			parts = append(parts, k, e.Values[i])
		}
		return parts
	case *Index:
		return []Expr{e.X, e.Key}
	case *For:
		parts := []Expr{e.X}
		for _, p := range []Expr{e.If, e.Key, e.Value} {
			if p != nil {
				parts = append(parts, p)
			}
		}
		return parts
	case *Unary:
		return []Expr{e.X}
	case *Binary:
		return []Expr{e.L, e.R}
	case *Cond:
		return []Expr{e.If, e.Then, e.Else}
	case *IsNull:
		return []Expr{e.X}
	case *Unwrap:
		return []Expr{e.X}
	case *Wrap:
		return []Expr{e.X}
	case *Convert:
		return []Expr{e.X}
	case *Call:
		return e.Args
	case *UserCall:
		return e.Args
	case *Try:
		return []Expr{e.X, e.Fallback}
	case *Concat:
		return e.Parts
	case *New:
		return e.Fields
	case *WindowPart:
		return []Expr{e.X}
	case *InWindow:
		return []Expr{e.Key, e.X}
	case *Merge:
		parts := []Expr{e.X}
		for _, s := range e.Set {
			parts = append(parts, s.Value)
		}
		return parts
	}
	return nil
}

// Exprs is the expressions of a step, in the order in which it evaluates them; what is not written is left out.
func Exprs(s Step) []Expr {
	var all []Expr
	add := func(es ...Expr) {
		for _, e := range es {
			if e != nil {
				all = append(all, e)
			}
		}
	}
	switch s := s.(type) {
	case *Filter:
		add(s.Where)
	case *MapValues:
		add(s.Value)
	case *SelectKey:
		add(s.Key)
	case *Map:
		add(s.Key, s.Value, s.Timestamp)
		for _, h := range s.Headers {
			add(h.Value)
		}
	case *FlatMapValues:
		add(s.Each)
	case *FlatMap:
		add(s.Each)
	case *Peek:
		add(s.Message)
	case *Dedup:
		add(s.By)
	case *Join:
		add(s.Value)
	case *GlobalJoin:
		add(s.On, s.Value)
	case *StreamJoin:
		add(s.Value)
	case *TableJoin:
		add(s.On, s.Value)
	case *GroupBy:
		add(s.Key, s.Value)
	case *Aggregate:
		for _, a := range s.Aggregators {
			add(a.Arg, a.By)
		}
		add(s.Value)
	case *Reduce:
		add(s.Remove, s.Add)
	case *Fold:
		add(s.Init, s.Merge, s.Remove, s.Add)
	case *Cogroup:
		add(s.Init, s.Merge)
		for _, in := range s.Inputs {
			add(in.Add)
		}
	}
	return all
}

// SinkExprs is the expressions of a sink, in the order in which it evaluates them.
func SinkExprs(s *Sink) []Expr {
	var all []Expr
	for _, e := range []Expr{s.Choice, s.AsKey, s.AsValue, s.Partition} {
		if e != nil {
			all = append(all, e)
		}
	}
	return all
}

// Leaves is what e may be, beside its conditions: the sides of ?:, of coalesce and of try.
func Leaves(e Expr) []Expr {
	switch e := e.(type) {
	case *Cond:
		return append(Leaves(e.Then), Leaves(e.Else)...)
	case *Try:
		return append(Leaves(e.X), Leaves(e.Fallback)...)
	case *Call:
		if e.Func == "coalesce" {
			return append(Leaves(e.Args[0]), Leaves(e.Args[1])...)
		}
	}
	return []Expr{e}
}
