package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// Keys with a window: in Go a window.Key, as bytes the key and the bounds that its kind writes.

// endOf is the end of the window of a key that starts at start.
func endOf(t *types.Windowed, start *jen.Statement) *jen.Statement {
	if t.Kind == types.UnlimitedWindows {
		return rt("window", "Forever")
	}
	return rt("window", "End").Call(start, millis(t.Size))
}

func asTimestamp(v *jen.Statement) *jen.Statement { return rt("temporal", "Timestamp").Call(v) }

// decodeWindowed writes the decoding of a key with a window.
func (r *Records) decodeWindowed(d Decoding, t *types.Windowed, dst *jen.Statement) []jen.Code {
	inner := d
	inner.Format = d.Format.Elem()
	inner.Src, inner.Dst = jen.Id("inner"), nil
	split := []jen.Code{jen.Id("inner"), jen.Id("start"), jen.Id("ok")}
	name := "SplitKey"
	if t.Kind == types.SessionWindows {
		split = []jen.Code{jen.Id("inner"), jen.Id("start"), jen.Id("end"), jen.Id("ok")}
		name = "SplitSessionKey"
	}
	var body []jen.Code
	if dst != nil {
		inner.Dst = dst.Clone().Dot("Key")
		end := endOf(t, jen.Id("start"))
		if t.Kind == types.SessionWindows {
			end = jen.Id("end")
		}
		body = append(r.decode(inner), jen.List(dst.Clone().Dot("Start"), dst.Clone().Dot("End")).Op("=").List(asTimestamp(jen.Id("start")), asTimestamp(end)))
	} else {
		for i := 1; i < len(split)-1 && t.Kind != types.SessionWindows; i++ {
			split[i] = jen.Id("_")
		}
		body = r.decode(inner)
	}
	cases := []jen.Code{jen.Case(jen.Op("!").Id("ok")).Block(d.Fail(rt("window", "ErrKey"))...)}
	if t.Kind == types.SessionWindows {
		cases = append(cases, jen.Case(jen.Id("end").Op("<").Id("start")).Block(d.Fail(rt("window", "ErrEnds"))...))
	}
	cases = append(cases, jen.Default().Block(body...))
	return []jen.Code{jen.Switch(jen.List(split...).Op(":=").Add(rt("window", name)).Call(d.Src.Clone()), jen.Empty()).Block(cases...)}
}

// bounds are a key and the window of its row, as a store gives them.
type bounds struct{ key, start, end *jen.Statement }

// decodeBounds writes the decoding of a key with a window that a store gives.
func (f *function) decodeBounds(d Decoding) []jen.Code {
	b := f.bounds
	f.bounds = nil
	inner := d
	inner.Format, inner.Src, inner.Dst = d.Format.Elem(), b.key, d.Dst.Clone().Dot("Key")
	return append(f.records.decode(inner), jen.List(d.Dst.Clone().Dot("Start"), d.Dst.Clone().Dot("End")).Op("=").
		List(asTimestamp(b.start), asTimestamp(b.end)))
}

// appendWindowed is the call that appends v, a key with a window.
func (r *Records) appendWindowed(f plan.Format, t *types.Windowed, dst, v *jen.Statement) *jen.Statement {
	in := f.Elem()
	call := r.append(in, dst, v.Clone().Dot("Key"))
	bounds := func(b *jen.Statement) *jen.Statement {
		if t.Kind == types.SessionWindows {
			return rt("window", "AppendBounds").Call(b, v.Clone().Dot("Start"), v.Clone().Dot("End"))
		}
		return rt("window", "AppendStart").Call(b, v.Clone().Dot("Start"))
	}
	if r.encodable(in) {
		return bounds(call)
	}
	return jen.Func().Params().Params(jen.Index().Byte(), jen.Error()).Block(
		jen.List(jen.Id("b"), jen.Err()).Op(":=").Add(call),
		jen.Return(bounds(jen.Id("b")), jen.Err())).Call()
}

// windowedKey is a row's key with its window, as bytes in scratch memory.
func (f *function) windowedKey(c plan.Carry, key, start *jen.Statement) held {
	scratch := f.windowedBytes()
	f.add(scratch.Clone().Op("=").Add(rt("window", "AppendKey")).Call(scratch.Clone().Index(jen.Empty(), jen.Lit(0)), key, start))
	return held{typ: c.Type, raw: scratch, format: c.Format, borrowed: true}
}

// withWindow gives the key at hand the window of the row that was updated.
func (f *function) withWindow(op *plan.Update) {
	if f.hand.start == nil || !op.Out.Key.Raw {
		return
	}
	inner, start := f.hand.key, f.hand.start
	f.hand.key, f.hand.start = f.windowedKey(op.Out.Key, inner.raw.Clone(), start.Clone()), nil
	if !op.Out.Key.Typed {
		return
	}
	t, _ := types.WindowedOf(op.Out.Key.Type)
	v := jen.Id(f.names.New("windowed", "keyInWindow"))
	f.add(v.Clone().Op(":=").Add(f.records.Type(t)).Values(
		keyed("Key", inner.typed.It.Clone()), keyed("Start", asTimestamp(start.Clone())), keyed("End", asTimestamp(endOf(t, start.Clone())))))
	f.declared(v)
	f.hand.key.typed = &Place{It: v}
}

// partitionedBy is what decides a record's partition: the key, or the one within a key with a window.
func partitionedBy(t types.Type, key *jen.Statement) *jen.Statement {
	w, ok := types.WindowedOf(t)
	switch {
	case !ok:
		return nil
	case w.Kind == types.SessionWindows:
		return rt("window", "SessionInner").Call(key)
	}
	return rt("window", "Inner").Call(key)
}

// windowPart is the key within a key with a window, or a bound of it.
func (w *writer) windowPart(e *model.WindowPart) *jen.Statement {
	name := map[model.Part]string{model.InnerKey: "Key", model.WindowStart: "Start", model.WindowEnd: "End"}[e.Part]
	return w.value(e.X, "").in(precPrimary).Dot(name)
}

// inWindow is a key in the window of another.
func (w *writer) inWindow(e *model.InWindow) *jen.Statement {
	x := w.local(e.X, "window")
	return w.Records.goType(e.Type).Values(
		keyed("Key", w.typed(e.Key, "").Statement), keyed("Start", x.Clone().Dot("Start")), keyed("End", x.Clone().Dot("End")))
}

// windowedName is the format of a key with a window, for people and for tests: what the bytes do not say is in it.
func windowedName(inner string, t *types.Windowed) string {
	named := *t
	named.Key = nil
	return strings.Replace(named.String(), "windowed(", "windowed("+inner, 1)
}
