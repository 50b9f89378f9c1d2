package check

// unused warns of what is declared and read by nobody. Tables are not looked at: their rows can be queried. In a program with
// errors it says nothing, as what is missing there may be the reader.
func (c *checker) unused() {
	if c.diags.HasErrors() {
		return
	}
	if a := c.program.App; a.DeadLetters != "" && !c.buries {
		c.diags.Warnf("SG1904", (&body{c: c, block: c.appBlocks[0]}).attr("dead_letter_topic").Name.Range, "no record becomes a dead letter: no policy says so").
			WithHint(`on_error = "dead_letter", or remove it`)
		c.program.App.DeadLetters = ""
	}
	for _, d := range c.decls {
		if !d.used && !d.model.HoldsRows() {
			c.diags.Warnf("SG1904", d.block.Header, "nothing reads %s", d.address()).WithHint("remove it, or add a sink")
		}
	}
	for _, d := range c.decls {
		for _, k := range d.model.Cases {
			if d.used && k.Where == nil && !d.taken[k] {
				c.diags.Warnf("SG1904", k.Pos, "nothing reads %s.%s", d.address(), k.Label).
					WithHint("remove it: what no case takes is dropped and counted")
			}
		}
	}
	for _, name := range c.typeNames {
		if t := c.named[name]; !t.used {
			c.diags.Warnf("SG1904", t.block.Header, "nothing uses the %s %s", t.block.Type.Name, name).WithHint("remove it")
		}
	}
	c.unusedFunctions()
	for _, name := range c.varNames {
		if v := c.vars[name]; !v.used {
			c.diags.Warnf("SG1904", v.model.Pos, "nothing uses var.%s", name).WithHint("remove it")
		}
	}
	for _, name := range c.localName {
		if l := c.locals[name]; !l.used {
			c.diags.Warnf("SG1904", l.attr.Name.Range, "nothing uses local.%s", name).WithHint("remove it")
		}
	}
}
