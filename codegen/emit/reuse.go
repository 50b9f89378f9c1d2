package emit

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/names"
	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/types"
)

// Tables whose topic is their changelog, too: the rows are restored from records as the table reads them.

// restorer is the name of the function that makes rows of the records of a topic.
func (e *emitter) restorer(s *plan.Store) string {
	if e.restorers == nil {
		e.restorers = map[*plan.Store]string{}
	}
	if e.restorers[s] == "" {
		e.restorers[s] = e.globals().New(names.Role("restore", s.Name), names.Role("restoreRow", s.Name))
	}
	return e.restorers[s]
}

// restores writes the function that makes a row of a record of the topic: it accepts what the table accepts.
func (s *sub) restores(st *plan.Store) jen.Code {
	src, d := s.sourceOf(st)
	name := s.restorer(st)
	n := NewNames(append(importNames(s.emitter.plan), "dst", "key", "value", "err")...)
	row := jen.Id(n.New("restored"))
	fail := func(err *jen.Statement) []jen.Code { return []jen.Code{jen.Return(jen.Nil(), err)} }
	decode := func(f plan.Format, part string, dst *jen.Statement, d Decoding) []jen.Code {
		d.Format, d.Purpose, d.Src, d.Dst, d.Fail = f, upperFirst(s.plan.Go), jen.Id(part), dst, fail
		d.Format.Type = types.NonNull(f.Type)
		return s.records.Decode(d)
	}
	body := decode(src.Key, "key", nil, Decoding{})
	body = append(body, jen.If(jen.Id("value").Op("==").Nil()).Block(jen.Return(jen.Nil(), jen.Nil())))
	body = append(body, jen.Var().Add(row.Clone()).Add(s.records.Type(st.Value)))
	body = append(body, decode(src.Value, "value", row, Decoding{Fields: d.Fields, Check: d.Check})...)
	body = append(body, jen.Return(s.records.writeRow(st.Value).Call(jen.Id("dst"), addressOf(row)), jen.Nil()))
	return comment(fmt.Sprintf("%s appends the row that a record of topic %s makes, which is the changelog of %s, too; nil: it deletes.", name, st.Changelog, st.Origin)).Line().
		Func().Id(name).Params(jen.List(jen.Id("dst"), jen.Id("key"), jen.Id("value")).Index().Byte()).Params(jen.Index().Byte(), jen.Error()).Block(body...)
}

// sourceOf is the source whose records are the rows of a store, and how their values are read.
func (s *sub) sourceOf(st *plan.Store) (*plan.Source, *plan.Decode) {
	for _, src := range s.plan.Sources {
		if src.Origin != st.Origin {
			continue
		}
		for _, op := range src.Entry.Ops {
			if d, ok := op.(*plan.Decode); ok && d.Value {
				return src, d
			}
		}
	}
	panic("emit: the rows of " + st.Origin + " come from nowhere")
}
