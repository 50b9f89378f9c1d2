package check

import (
	"slices"
	"strings"

	"github.com/streamgen/streamgen/spec/syntax"
)

// facts are the paths that are known not to be null: key, value, value.note, the name that a join's as gives, headers.trace for
// headers["trace"]. A list is never changed once made.
type facts []string

// doubt is a fact that stands for those which a condition with an error would have proved. Nothing is said to be null then.
const doubt = "?"

func (f facts) has(path string) bool { return slices.Contains(f, path) }

func (f facts) with(more ...string) facts {
	out := slices.Clip(f)
	for _, p := range more {
		if !out.has(p) {
			out = append(out, p)
		}
	}
	return out
}

// without drops what is known about name and all below it, because name was replaced.
func (f facts) without(name string) facts {
	var out facts
	for _, p := range f {
		if p != name && !strings.HasPrefix(p, name+".") {
			out = append(out, p)
		}
	}
	return out
}

// both is what is known in f and in g.
func (f facts) both(g facts) facts {
	var out facts
	for _, p := range f {
		if g.has(p) {
			out = append(out, p)
		}
	}
	return out
}

// proves is the paths that are not null if e is holds.
func proves(e syntax.Expr, holds bool) []string {
	switch e := e.(type) {
	case *syntax.Paren:
		return proves(e.X, holds)
	case *syntax.Unary:
		if e.Op == "!" {
			return proves(e.X, !holds)
		}
	case *syntax.Binary:
		switch {
		case e.Op == "&&" && holds, e.Op == "||" && !holds:
			return append(proves(e.L, holds), proves(e.R, holds)...)
		case e.Op == "!=" && holds, e.Op == "==" && !holds:
			if isNull(e.R) {
				return onePath(e.L)
			}
			if isNull(e.L) {
				return onePath(e.R)
			}
		}
	}
	return nil
}

func onePath(e syntax.Expr) []string {
	if p := pathText(e); p != "" {
		return []string{p}
	}
	return nil
}

// pathText is a path as facts have it, or "".
func pathText(e syntax.Expr) string {
	switch e := e.(type) {
	case *syntax.Paren:
		return pathText(e.X)
	case *syntax.Name:
		return e.Name
	case *syntax.Select:
		if p := pathText(e.X); p != "" {
			return p + "." + e.Name.Name
		}
	case *syntax.Index:
		n, ok := e.X.(*syntax.Name)
		if k, literal := e.Key.(*syntax.Text); ok && literal && n.Name == "headers" {
			return "headers." + k.Value
		}
	}
	return ""
}

func isNull(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Null:
		return true
	case *syntax.Paren:
		return isNull(e.X)
	}
	return false
}
