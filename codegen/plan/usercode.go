package plan

import (
	"cmp"
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/streamgen/streamgen/codegen/names"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// Import is a package of the user's that generated code imports.
type Import struct {
	Path string
	Name string // in generated files: that of the package, unless it means something else there
}

// importNames lists the user's packages and names them, once all else in the generated package has its name. A package whose name
// is taken is named after its parent, too.
func (p *planner) importNames(used map[string]bool) {
	packages := map[string]string{}
	for _, f := range p.model.Functions {
		packages[f.Import] = f.Package
	}
	for _, t := range p.plan.Types {
		if t.Record != nil && t.Record.Go != nil && !isRuntime(t.Record.Go.Import) {
			packages[t.Record.Go.Import] = cmp.Or(t.Record.Go.Package, "adopted") // not known yet in Declarations
		}
	}
	var paths []string
	for p := range packages {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	taken := map[string]bool{p.plan.Package: true}
	for name := range used {
		taken[name] = true
	}
	for _, name := range locals {
		taken[name] = true
	}
	for _, at := range paths {
		name := packages[at]
		candidates := []string{name, identifier(path.Base(path.Dir(at)) + name), name + "pkg"}
		candidates = slices.DeleteFunc(candidates, func(s string) bool { return len(s) < shortest || !token.IsIdentifier(s) })
		p.plan.Imports = append(p.plan.Imports, &Import{Path: at, Name: names.Free(taken, "pkg", candidates...)})
	}
}

// runtimePath is the import path of the runtime.
const runtimePath = "github.com/streamgen/streamgen/runtime"

func isRuntime(at string) bool { return strings.HasPrefix(at, runtimePath+"/") }

// shortest is how long the name of an imported package is at least: shorter ones are receivers and parameters.
const shortest = 3

// locals are what generated functions call their own, whatever the spec says.
var locals = []string{
	"all", "arena", "dst", "err", "existed", "exists", "from", "headers", "key", "name", "next", "row", "rows", "seen", "src", "state",
	"timestamp", "value", "arith", "convert", "dict", "list", "maps", "uuid", "decimal",
}

// identifier is s without what cannot be part of a name.
func identifier(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return -1
	}, strings.ToLower(s))
}

// Declarations is the plan of a package records that has all declared types and nothing else: what user code may import, before
// anything is known of the topology, which may depend on that code.
func Declarations(app string, records []*types.Record, enums []*types.Enum) *Plan {
	p := &planner{
		model: &model.Program{Records: records, Enums: enums},
		plan:  &Plan{App: app, Package: names.Package(app)},
	}
	t := &typeList{p: p, byName: map[string]bool{}, used: map[string]bool{}}
	for _, e := range enums {
		t.add(e, e.Name)
	}
	for _, r := range records {
		t.add(r, r.Name)
	}
	p.typeNames()
	p.importNames(nil)
	return p.plan
}
