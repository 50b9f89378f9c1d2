package syntax

// Walk calls f for e and, where f says true, for all expressions within it, in source order.
func Walk(e Expr, f func(Expr) bool) {
	if e == nil || !f(e) {
		return
	}
	for _, c := range children(e) {
		Walk(c, f)
	}
}

func children(e Expr) []Expr {
	switch e := e.(type) {
	case *Template:
		return e.Parts
	case *Select:
		return []Expr{e.X}
	case *Index:
		return []Expr{e.X, e.Key}
	case *Splat:
		return []Expr{e.X, e.Each}
	case *Call:
		return e.Args
	case *Unary:
		return []Expr{e.X}
	case *Binary:
		return []Expr{e.L, e.R}
	case *Conditional:
		return []Expr{e.Cond, e.Then, e.Else}
	case *Paren:
		return []Expr{e.X}
	case *List:
		return e.Items
	case *Object:
		var all []Expr
		for _, it := range e.Items {
			if it.Key != nil {
				all = append(all, it.Key)
			}
			all = append(all, it.Value)
		}
		return all
	case *For:
		all := []Expr{e.In}
		for _, x := range []Expr{e.Key, e.Value, e.If} {
			if x != nil {
				all = append(all, x)
			}
		}
		return all
	default:
		return nil
	}
}
