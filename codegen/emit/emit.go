// Package emit writes a plan as Go: the package of the topology, its records, and its command.
//
// It is the last stage of the compiler (tree → model → plan → files). It reads nothing but the plan and cannot report a
// user's mistake: what could still be wrong was found before. It is the only package that writes Go, through jennifer. What it
// writes depends on types and topology only; loops, transactions, state and formats are the runtime's.
package emit

import (
	"fmt"
	"path"

	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/names"
	"github.com/streamgen/streamgen/codegen/output"
	"github.com/streamgen/streamgen/codegen/plan"
)

// runtimePath is the import path of the runtime, the only module besides the user's that generated code links against.
const runtimePath = "github.com/streamgen/streamgen/runtime"

// generation is the runtime.Generation that the emitted code is written for.
const generation = 1

// Options say where the generated code lives.
type Options struct {
	// Import is the import path of the generated package: "example.com/shop/generated/orderenrichment".
	Import string
}

// Files writes p. The paths of the files are slash-separated and relative to the directory of the package. The same plan gives
// the same bytes. An error is a fault of the compiler: code that is not Go.
func Files(p *plan.Plan, o Options) ([]output.File, error) {
	e := &emitter{plan: p, path: o.Import, records: NewRecords(p, o.Import+"/records"), usesVariables: map[*plan.SubTopology]bool{}}
	subs := make([]*file, len(p.SubTopologies))
	for i, s := range p.SubTopologies {
		subs[i] = e.subTopology(s)
	}
	for _, g := range p.GlobalTables {
		subs = append(subs, e.subTopology(g))
	}
	all := append([]*file{e.app()}, subs...)
	if len(p.Positions) > 0 {
		all = append(all, e.positions())
	}
	for _, r := range e.records.Files() {
		all = append(all, &file{name: "records/" + r.Name, File: r.File})
	}
	all = append(all, e.command())

	return e.render(all)
}

// Declarations writes the package records alone, with the types of p and what an enum needs.
func Declarations(p *plan.Plan, o Options) ([]output.File, error) {
	e := &emitter{plan: p, path: o.Import, records: NewRecords(p, o.Import+"/records")}
	var all []*file
	for _, r := range e.records.Files() {
		all = append(all, &file{name: "records/" + r.Name, File: r.File})
	}
	return e.render(all)
}

func (e *emitter) render(all []*file) ([]output.File, error) {
	local := []string{e.path}
	for _, i := range e.plan.Imports {
		local = append(local, i.Path)
	}
	files := make([]output.File, len(all))
	for i, f := range all {
		content, err := f.render(e.plan.SpecFiles, local...)
		if err != nil {
			return nil, fmt.Errorf("emit %s: %w", f.name, err)
		}
		files[i] = output.File{Path: f.name, Content: content}
	}
	return files, nil
}

// emitter is one run of Files.
type emitter struct {
	plan    *plan.Plan
	path    string // import path of the package
	records *Records

	usesVariables map[*plan.SubTopology]bool

	names         *Names  // of the package
	made, pending []ready // constants that are made ready; those not yet declared
	restorers     map[*plan.Store]string
}

// newFile begins a file of the package of the topology.
func (e *emitter) newFile(name string) *file {
	return &file{name: name, File: jen.NewFilePathName(e.path, e.plan.Package)}
}

// rt names a symbol of a package of the runtime: rt("task", "Task"), rt("", "Topology").
func rt(pkg, name string) *jen.Statement { return jen.Qual(path.Join(runtimePath, pkg), name) }

// lowerFirst and upperFirst change the case of the first letter of a Go name.
func lowerFirst(s string) string { return names.LowerFirst(s) }
func upperFirst(s string) string { return names.UpperFirst(s) }
