package emit

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/streamgen/streamgen/runtime/uuid"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// exprText is an expression as a spec says it, for comments: without the conversions that the checker put in.
func exprText(e model.Expr) string {
	p := &printer{}
	p.write(e, 0)
	return p.String()
}

// aggregateText is the value of an aggregate, with its aggregators where it names their results.
func aggregateText(a *model.Aggregate) string {
	p := &printer{aggregators: a.Aggregators}
	p.write(a.Value, 0)
	return p.String()
}

type printer struct {
	strings.Builder
	aggregators []*model.Aggregator
}

// Precedences, from the loosest.
var precedence = map[string]int{
	"?": 1, "||": 2, "&&": 3, "==": 4, "!=": 4, "<": 5, "<=": 5, ">": 5, ">=": 5, "+": 6, "-": 6, "*": 7, "/": 7, "%": 7, "unary": 8,
}

func (b *printer) write(e model.Expr, outer int) {
	infix := func(op string, f func(level int)) {
		level := precedence[op]
		if level < outer {
			b.WriteByte('(')
			defer b.WriteByte(')')
		}
		f(level)
	}
	list := func(es []model.Expr) {
		for i, x := range es {
			if i > 0 {
				b.WriteString(", ")
			}
			b.write(x, 0)
		}
	}
	switch e := e.(type) {
	case *model.Const:
		b.WriteString(constText(e))
	case *model.Var:
		b.WriteString(map[model.Root]string{
			model.RootKey: "key", model.RootValue: "value", model.RootTimestamp: "timestamp", model.RootHeaders: "headers",
			model.RootAgg: "agg", model.RootPrevious: "previous", model.RootVariable: "var.", model.RootTopic: "topic", model.RootPartition: "partition", model.RootOffset: "offset",
		}[e.Root] + e.Name)
	case *model.AggRef:
		a := b.aggregators[e.Index]
		b.WriteString(a.Func + "(")
		if a.Arg != nil {
			b.write(a.Arg, 0)
		}
		if a.By != nil {
			b.WriteString(", ")
			b.write(a.By, 0)
		}
		if a.Most > 0 {
			b.WriteString(", " + strconv.FormatInt(a.Most, 10))
		}
		if a.Func == "quantile" {
			b.WriteString(", " + strconv.FormatFloat(a.Share, 'g', -1, 64))
		}
		b.WriteByte(')')
	case *model.Field:
		b.write(e.X, precedence["unary"])
		b.WriteString("." + e.Name)
	case *model.Header:
		b.WriteString("headers[" + strconv.Quote(e.Key) + "]")
	case *model.List, *model.Dict, *model.Index, *model.For:
		b.writeCollection(e)
	case *model.Unary:
		infix("unary", func(level int) {
			b.WriteString(e.Op)
			b.write(e.X, level)
		})
	case *model.Binary:
		infix(e.Op, func(level int) {
			b.write(e.L, level)
			b.WriteString(" " + e.Op + " ")
			b.write(e.R, level+1)
		})
	case *model.Cond:
		infix("?", func(level int) {
			b.write(e.If, level+1)
			b.WriteString(" ? ")
			b.write(e.Then, level+1)
			b.WriteString(" : ")
			b.write(e.Else, level)
		})
	case *model.IsNull:
		infix("==", func(level int) {
			b.write(e.X, level)
			b.WriteString(map[bool]string{false: " == null", true: " != null"}[e.Not])
		})
	case *model.WindowPart:
		b.WriteString(map[model.Part]string{model.InnerKey: "key", model.WindowStart: "window.start", model.WindowEnd: "window.end"}[e.Part])
	case *model.InWindow:
		b.WriteString("windowed(")
		b.write(e.Key, 0)
		b.WriteString(", window)")
	case *model.Unwrap:
		b.write(e.X, outer)
	case *model.Wrap:
		b.write(e.X, outer)
	case *model.Convert:
		b.writeConvert(e, outer)
	case *model.Call:
		b.WriteString(e.Func + "(")
		list(e.Args)
		b.WriteByte(')')
	case *model.UserCall:
		b.WriteString(e.Function.Label + "(")
		list(e.Args)
		b.WriteByte(')')
	case *model.Try:
		b.WriteString("try(")
		list([]model.Expr{e.X, e.Fallback})
		b.WriteByte(')')
	case *model.Concat:
		b.WriteByte('"')
		for _, p := range e.Parts {
			if c, ok := p.(*model.Const); ok {
				b.WriteString(strings.Trim(constText(c), `"`))
				continue
			}
			b.WriteString("${")
			b.write(stripString(p), 0)
			b.WriteByte('}')
		}
		b.WriteByte('"')
	case *model.New:
		b.writeNew(e)
	case *model.Merge:
		b.WriteString("merge(")
		b.write(e.X, 0)
		b.WriteString(", { ")
		for i, s := range e.Set {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(s.Name + " = ")
			b.write(s.Value, 0)
		}
		b.WriteString(" })")
	}
}

// writeCollection writes what makes and walks over lists and maps.
func (b *printer) writeCollection(e model.Expr) {
	switch e := e.(type) {
	case *model.List:
		b.WriteByte('[')
		for i, x := range e.Items {
			if i > 0 {
				b.WriteString(", ")
			}
			b.write(x, 0)
		}
		b.WriteByte(']')
	case *model.Dict:
		b.WriteString("{ ")
		for i, k := range e.Keys {
			if i > 0 {
				b.WriteString(", ")
			}
			if c, ok := k.(*model.Const); ok {
				b.WriteString(constText(c))
			} else {
				b.WriteByte('(')
				b.write(k, 0)
				b.WriteByte(')')
			}
			b.WriteString(" = ")
			b.write(e.Values[i], 0)
		}
		b.WriteString(" }")
	case *model.Index:
		b.write(e.X, precedence["unary"])
		b.WriteByte('[')
		b.write(e.Key, 0)
		b.WriteByte(']')
	case *model.For:
		brackets := "[]"
		if e.Key != nil {
			brackets = "{}"
		}
		b.WriteString(brackets[:1] + "for ")
		if e.Place != "" {
			b.WriteString(e.Place + ", ")
		}
		b.WriteString(e.Item + " in ")
		b.write(e.X, 0)
		b.WriteString(" : ")
		if e.Key != nil {
			b.write(e.Key, 0)
			b.WriteString(" => ")
		}
		b.write(e.Value, 0)
		if e.If != nil {
			b.WriteString(" if ")
			b.write(e.If, 0)
		}
		b.WriteString(brackets[1:])
	}
}

// writeConvert writes a conversion that a spec has to say; the others are left out.
func (b *printer) writeConvert(e *model.Convert, outer int) {
	to, from := types.NonNull(e.Type), types.NonNull(e.X.Base().Type)
	_, record := to.(*types.Record)
	_, widens := types.Widen(from, to)
	if record || widens && from != types.String && to != types.String {
		b.write(e.X, outer)
		return
	}
	if d, ok := to.(*types.Decimal); ok {
		b.WriteString("decimal(")
		b.write(e.X, 0)
		fmt.Fprintf(b, ", %d, %d)", d.Precision, d.Scale)
		return
	}
	b.WriteString(to.String() + "(")
	b.write(e.X, 0)
	b.WriteByte(')')
}

// writeNew writes a record, with the name of its type if it has one.
func (b *printer) writeNew(e *model.New) {
	r := e.Type.(*types.Record)
	if r.Name != "" {
		b.WriteString(r.Name + "(")
		defer b.WriteByte(')')
	}
	b.WriteString("{ ")
	for i, f := range r.Fields {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(f.Name + " = ")
		b.write(e.Fields[i], 0)
	}
	b.WriteString(" }")
}

// stripString is x of string(x): a template converts what it holds by itself.
func stripString(e model.Expr) model.Expr {
	if c, ok := e.(*model.Convert); ok && c.Type == types.String {
		return c.X
	}
	return e
}

// constText is a literal.
func constText(c *model.Const) string {
	switch v := c.Value.(type) {
	case string:
		return strconv.Quote(v)
	case []byte:
		return strconv.Quote(string(v))
	case bool:
		return strconv.FormatBool(v)
	case *big.Int:
		return model.Decimal(c)
	case [16]byte:
		return strconv.Quote(uuid.UUID(v).String())
	case float64:
		if types.NonNull(c.Type) == types.Float32 {
			return strconv.FormatFloat(v, 'g', -1, 32)
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	case int64:
		switch t := types.NonNull(c.Type).(type) {
		case *types.Enum:
			return strconv.Quote(t.Values[v])
		case types.Basic:
			if t == types.Duration {
				return strconv.Quote((time.Duration(v) * time.Millisecond).String())
			}
			if t == types.Timestamp {
				return strconv.Quote(time.UnixMilli(v).UTC().Format("2006-01-02T15:04:05.999Z07:00"))
			}
		}
		return strconv.FormatInt(v, 10)
	}
	switch c.Type.(type) {
	case *types.List:
		return "[]"
	case *types.Map:
		return "{}"
	}
	return "null"
}
