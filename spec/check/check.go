// Package check gives a tree its meaning: it resolves every name, types every expression and builds the model.
//
// It is the second stage of the compiler (files → tree → model → plan → Go) and the place where almost all of a user's mistakes
// are found: what it accepts, the stages behind it can build. One file holds one concept of the language; what blocks, steps
// and functions there are is data (schema.go, functions.go).
//
// A mistake is said once: what could not be understood gets the type types.Invalid, which fits everything.
package check

import (
	"slices"
	"strings"

	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/gocode"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
)

// Options are what a build gives to a spec from outside.
type Options struct {
	// Vars are the values of variables by label, as written behind --var. They win over defaults.
	Vars map[string]string

	// Env looks up an environment variable; nil: there are none. STREAMGEN_VAR_LOW_MARK gives var.low_mark its value, unless Vars does.
	Env func(name string) (string, bool)
	// Go reads the user's Go code, for functions and adopted types. It is not asked if the spec has none of them.
	Go gocode.Reader
}

// Check builds the model of a program that parsed without errors. The model is nil if the list, which is sorted, has errors. It
// does not panic on incomplete trees.
func Check(p *syntax.Program, opts Options) (*model.Program, diag.List) {
	c := &checker{opts: opts, tree: p, program: &model.Program{}}
	c.collect()
	c.declareFunctions()
	c.declareTypes()
	c.markUnknown()
	c.declareVariables()
	c.app()
	for _, d := range c.decls {
		c.eval(d)
	}
	for _, b := range c.sinkBlocks {
		c.sink(b)
	}
	c.refusals()
	c.stateNames()
	c.unused()
	c.diags.Sort()
	if c.diags.HasErrors() {
		return nil, c.diags
	}
	return c.program, c.diags
}

// checker is the state of one run.
type checker struct {
	opts    Options
	tree    *syntax.Program
	program *model.Program
	diags   diag.List
	policy  policy // of the app

	buries   bool // a policy sends records to the topic of dead letters
	unburied bool // and it was reported that there is none

	decls      []*decl // streams, tables and branches in the order of the files
	appBlocks  []*syntax.Block
	appBroken  bool            // there is a block app whose label was reported
	typeBlocks []*syntax.Block // types and enums
	varBlocks  []*syntax.Block
	sinkBlocks []*syntax.Block
	labels     map[string]map[string]*syntax.Block // kind, label: everything that can be referred to
	goNames    map[string]syntax.Ident             // kind.name in Go: labels, of which no two are one name there
	strangers  map[string]bool                     // labels of blocks that were reported and are not known
	collided   map[string]bool                     // kind.label: those that were reported to be two; who names one means something
	order      map[string][]string                 // kind: labels in the order of the files

	named          map[string]*namedType
	typeNames      []string // in the order of the files
	vars           map[string]*variable
	varNames       []string
	locals         map[string]*local
	localName      []string
	functionBlocks []*syntax.Block
	functions      map[string]*userFunction
	functionNames  []string
	adopted        []*adopted
	recordsPath    string // import path of the generated package records, if Go code was read

	stores  []syntax.Ident // labels of states, which are unique over all tables
	reading []*decl        // blocks whose meaning is being found, outermost first
}

// decl is a stream, a table or a branch, and what is known about it.
type decl struct {
	block *syntax.Block
	model *model.Block
	state state
	used  bool // something reads it
	out   flow

	cases []flow               // of a branch, beside model.Cases
	taken map[*model.Case]bool // cases that something reads
	apart *syntax.Block        // of a cogroup: an input whose records are not like those before, so that late ones are no stream
}

// state tells how far the meaning of something is known.
type state uint8

const (
	unseen state = iota
	active
	done
)

// take notes that a case is read, or that it was spoken of.
func (d *decl) take(k *model.Case) {
	if d.taken == nil {
		d.taken = map[*model.Case]bool{}
	}
	d.taken[k] = true
}

func (d *decl) address() string { return d.model.Address() }

// collect sorts the blocks of all files by kind and refuses what is no block of the language.
func (c *checker) collect() {
	c.goNames, c.collided, c.strangers = map[string]syntax.Ident{}, map[string]bool{}, map[string]bool{}
	c.labels = map[string]map[string]*syntax.Block{}
	c.order = map[string][]string{}
	for _, f := range c.tree.Files {
		for _, b := range f.Blocks {
			c.collectBlock(b)
		}
	}
}

// estrange keeps quiet about what stands on a block that was reported.
func (c *checker) estrange(b *syntax.Block) {
	for _, l := range b.Labels {
		c.strangers[l.Name] = true
	}
}

func (c *checker) collectBlock(b *syntax.Block) {
	kind := b.Type.Name
	sh := topLevel(kind)
	switch {
	case sh == nil:
		m := c.unknown("SG1101", b.Type, "block", kind, "there is no block %q", topLevelNames())
		if hint := elsewhereBlock(b); hint != "" {
			m.WithHint("%s", hint)
		}
		c.estrange(b)
		c.appBroken = c.appBroken || diag.Nearest(kind, topLevelNames()) == "app"
		return
	case sh.later:
		c.register(b)
		c.notYet(b.Header, title(b))
		return
	}
	if !c.labelsFit(b, sh) {
		c.estrange(b)
		c.appBroken = c.appBroken || kind == "app"
		return
	}
	if sh.labels > 0 && !c.register(b) {
		return
	}
	switch kind {
	case "app":
		c.appBlocks = append(c.appBlocks, b)
	case "type", "enum":
		c.typeBlocks = append(c.typeBlocks, b)
	case "variable", "locals":
		c.varBlocks = append(c.varBlocks, b)
	case "function":
		c.functionBlocks = append(c.functionBlocks, b)
	case "sink":
		c.sinkBlocks = append(c.sinkBlocks, b)
	case "stream", "table", "branch", "global_table":
		kinds := map[string]model.BlockKind{"stream": model.Stream, "table": model.Table, "branch": model.Branch, "global_table": model.GlobalTable}
		m := &model.Block{Kind: kinds[kind], Label: b.Labels[0].Name, Pos: b.Header}
		c.decls = append(c.decls, &decl{block: b, model: m})
		c.program.Blocks = append(c.program.Blocks, m)
	}
}

// decl finds a stream, table or branch.
func (c *checker) decl(kind, label string) *decl {
	for _, d := range c.decls {
		if d.model.Label == label && d.model.Kind.String() == kind {
			return d
		}
	}
	return nil
}

// eval finds the meaning of a block after that of everything it reads.
func (c *checker) eval(d *decl) {
	if d.state != unseen {
		return
	}
	d.state = active
	c.reading = append(c.reading, d)
	switch d.model.Kind {
	case model.Stream:
		c.stream(d)
	case model.Table:
		c.table(d)
	case model.Branch:
		c.branch(d)
	case model.GlobalTable:
		c.globalTable(d)
	}
	c.reading = c.reading[:len(c.reading)-1]
	d.state = done
}

// cycle reports that d, whose meaning is being found, is needed for it.
func (c *checker) cycle(d *decl, at diag.Range) {
	i := slices.Index(c.reading, d)
	var names []string
	for _, r := range c.reading[i:] {
		names = append(names, r.address())
	}
	names = append(names, d.address())
	c.diags.Errorf("SG1206", at, "%s", strings.Join(names, " reads ")).
		WithHint("a loop goes through a topic: a sink, and a source that reads it")
}

// notYet reports a part of the language that this version does not have.
func (c *checker) notYet(at diag.Range, what string) *diag.Diagnostic {
	return c.diags.Errorf("SG1199", at, "%s is not available yet", what).
		WithDetail("It is part of the language, but this version of streamgen cannot build it.")
}

// unknown reports a name that nothing has, with the one that was probably meant.
func (c *checker) unknown(code string, id syntax.Ident, what, name, format string, candidates []string) *diag.Diagnostic {
	d := c.diags.Errorf(code, id.Range, format, name)
	if near := diag.Nearest(name, candidates); near != "" {
		return d.WithHint("did you mean %q?", near)
	}
	if len(candidates) > 0 {
		d.WithHint("%s: %s", plural(what, len(candidates)), strings.Join(candidates, ", "))
	}
	return d
}

// text is the source of a range, for hints that repeat what was written; "…" if it does not fit on a line.
func (c *checker) text(r diag.Range) string {
	src := c.tree.Source(r.File)
	if r.Start.Byte < 0 || r.End.Byte > len(src) || r.Start.Byte >= r.End.Byte {
		return "…"
	}
	s := string(src[r.Start.Byte:r.End.Byte])
	if len(s) > 60 || strings.ContainsAny(s, "\n\r") {
		return "…"
	}
	return s
}

// near is a place for hints: "app.hcl:9".
func near(r diag.Range) string {
	name := r.File
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	return name + ":" + itoa(r.Start.Line)
}

// invalid is the expression of what was reported already.
func invalid(at diag.Range) model.Expr {
	return &model.Const{ExprBase: model.ExprBase{Type: types.Invalid, Pos: at}}
}
