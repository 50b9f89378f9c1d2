package check

import (
	"fmt"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
)

// policy is what happens to records that cannot be processed, by class. Zero: nothing is written.
type policy struct {
	badInput, badLogic, sink model.OnError
}

// over is p where it says something, else outer.
func (p policy) over(outer policy) policy {
	return policy{
		badInput: first(p.badInput, outer.badInput),
		badLogic: first(p.badLogic, outer.badLogic),
		sink:     first(p.sink, outer.sink),
	}
}

func first(a, b model.OnError) model.OnError {
	if a != 0 {
		return a
	}
	return b
}

// policy reads on_error, a word or an object with a word for each class of failure.
func (d *body) policy(outer policy) policy {
	a := d.attr("on_error")
	if a == nil {
		return outer
	}
	o, ok := a.Value.(*syntax.Object)
	if !ok {
		v, ok := d.constant("on_error", nil)
		if !ok {
			return outer
		}
		s, ok := v.Value.(string)
		if !ok {
			d.c.diags.Errorf("SG1301", a.Value.Pos(), "\"on_error\" must be a text or an object by class, is %s", v.Type).
				WithHint(`on_error = "fail", or on_error = { bad_input = "skip" }`)
			return outer
		}
		e := d.c.onError(a.Value, "on_error", s, true)
		p := policy{badInput: e, badLogic: e}
		if e != model.Skip { // what the broker refuses is never skipped
			p.sink = e
		}
		return p.over(outer)
	}
	var p policy
	classes := []string{"bad_input", "bad_logic", "sink"}
	for _, it := range o.Items {
		var into *model.OnError
		switch it.Name.Name {
		case "bad_input":
			into = &p.badInput
		case "bad_logic":
			into = &p.badLogic
		case "sink":
			into = &p.sink
		default:
			at := it.Name
			if it.Key != nil {
				at.Range = it.Key.Pos()
			}
			d.c.unknown("SG1101", at, "class", it.Name.Name, "there is no class of failure %q", classes)
			continue
		}
		name := "on_error." + it.Name.Name
		if v, ok := d.c.constant(it.Value, nil, fmt.Sprintf("%q", name)); ok {
			s, _ := v.Value.(string)
			*into = d.c.onError(it.Value, name, s, it.Name.Name != "sink")
		}
	}
	return p.over(outer)
}

func (c *checker) onError(e syntax.Expr, name, s string, skip bool) model.OnError {
	switch {
	case s == "fail":
		return model.Fail
	case s == "skip" && skip:
		return model.Skip
	case s == "skip":
		c.diags.Errorf("SG1112", e.Pos(), "a record that the broker refuses cannot be skipped").
			WithHint(`"fail"; or "dead_letter", which keeps it in a topic`)
		return 0
	case s == "dead_letter":
		c.deadLetter(e)
		return model.DeadLetter
	}
	words := []string{"fail", "skip", "dead_letter"}
	if !skip {
		words = []string{"fail", "dead_letter"}
	}
	c.notOneOf(e.Pos(), name, s, words)
	return model.Fail
}

// deadLetter notes that a policy sends records to the topic of dead letters, which must be there. A policy may be read more than once.
func (c *checker) deadLetter(e syntax.Expr) {
	c.buries = true
	if len(c.appBlocks) == 0 || (&body{c: c, block: c.appBlocks[0]}).has("dead_letter_topic") || c.unburied {
		return
	}
	c.unburied = true
	c.diags.Errorf("SG1102", e.Pos(), "\"dead_letter\" needs \"dead_letter_topic\" in app: where these records go").
		WithHint("dead_letter_topic = \"%s-dead-letters\"", c.program.App.Label).WithRelated(c.appBlocks[0].Header, "the app")
}

// needPolicy reports what can fail in an expression if nothing says what happens then.
func (c *checker) needPolicy(causes []cause, p policy) {
	if p.badLogic != 0 {
		return
	}
	for _, f := range causes {
		c.diags.Errorf("SG1330", f.at, "this can fail (%s) and nothing says what then", f.why).
			WithHint("`try(%s, …)`, or on_error = \"fail\", \"skip\" or \"dead_letter\" here, in the block or in app", c.text(f.at))
	}
}
