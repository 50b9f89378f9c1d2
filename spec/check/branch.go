package check

import (
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
)

// branch finds the meaning of a branch: its cases in order, the default last. What the earlier cases not holding proves is known
// in the later ones.
func (c *checker) branch(d *decl) {
	d.out = unknownFlow(d.block.Header)
	in := c.open(d.block, topLevel("branch"))
	d.model.Description = in.description()
	f := unknownFlow(d.block.Header)
	if a := in.attr("from"); a != nil {
		f = c.from(d, a.Value)
	}
	ch := c.chain(d, in, f)
	d.model.OnError = ch.policy.badLogic
	d.model.In = f.schema
	var rest *syntax.Block
	var labels []syntax.Ident
	everything := false // a case before takes all
	for _, b := range d.block.Blocks {
		sh := &caseShape
		if b.Type.Name == "default" {
			sh = &defaultShape
		} else if b.Type.Name != "case" {
			continue // reported by open
		}
		if !c.labelsFit(b, sh) || c.caseTwice(b, &labels) {
			continue
		}
		if sh == &defaultShape {
			if rest != nil {
				c.diags.Errorf("SG1118", b.Header, "a branch has one default").WithHint("remove one").WithRelated(rest.Header, "the first one")
				continue
			}
			rest = b
			continue
		}
		everything = ch.branchCase(b, everything)
	}
	if rest != nil {
		r := c.open(rest, &defaultShape)
		k := ch.newCase(r)
		if everything {
			c.diags.Warnf("SG1904", rest.Header, "nothing is left for this case").WithHint("remove it")
			d.take(k)
		}
		k.Out = ch.flow.schema
		d.cases = append(d.cases, ch.flow)
	}
	if len(d.model.Cases) == 0 && !c.diags.HasErrors() {
		c.diags.Errorf("SG1102", d.block.Header, "%s needs at least one case", title(d.block)).
			WithHint(`case "big" { where = value.amount > 50 }`)
	}
}

// caseTwice reports a label that another case has.
func (c *checker) caseTwice(b *syntax.Block, labels *[]syntax.Ident) bool {
	l := b.Labels[0]
	for _, first := range *labels {
		if c.sameName("case", l, first) {
			return true
		}
	}
	*labels = append(*labels, l)
	return false
}

func (ch *chain) newCase(in *body) *model.Case {
	label := in.block.Labels[0].Name
	k := &model.Case{
		Label:       label,
		Description: in.description(),
		Address:     ch.d.address() + "." + label,
		OnError:     in.policy(ch.policy).badLogic,
		Pos:         in.block.Header,
	}
	ch.d.model.Cases = append(ch.d.model.Cases, k)
	return k
}

// branchCase adds a case and tells whether it, or one before, takes everything that is left.
func (ch *chain) branchCase(b *syntax.Block, everything bool) bool {
	c := ch.c
	in := c.open(b, &caseShape)
	k := ch.newCase(in)
	holds, settled := ch.condition(in, &k.Where)
	switch {
	case everything:
		c.diags.Warnf("SG1904", b.Header, "no record reaches this case: one above takes all").WithHint("remove it")
	case settled && !holds:
		c.diags.Warnf("SG1904", k.Where.Base().Pos, "this case takes nothing").WithHint("remove it")
	}
	out := ch.flow
	if a := in.attr("where"); a != nil {
		out = ch.flow.narrow(a.Value, true)
		ch.flow = ch.flow.narrow(a.Value, false)
		if !settled && !build(a.Value) {
			out.known, ch.flow.known = out.known.assume(k.Where, true), ch.flow.known.assume(k.Where, false)
		}
	}
	k.Out = out.schema
	ch.d.cases = append(ch.d.cases, out)
	return everything || settled && holds
}
