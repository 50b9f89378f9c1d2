// Package codegen is the back of the compiler: from the model of a program to the files of its Go package.
package codegen

import (
	"github.com/streamgen/streamgen/codegen/emit"
	"github.com/streamgen/streamgen/codegen/output"
	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// Result is what Generate made.
type Result struct {
	Plan  *plan.Plan // nil if Diags has errors
	Files []output.File
	Diags diag.List
}

// Declarations writes the package records of a program of which only the declared types are known. User code may import it, and
// what the rest of the program is may depend on that code. Paths are relative to the generated package, which has the import path
// that is given.
func Declarations(app, importPath string, records []*types.Record, enums []*types.Enum) ([]output.File, error) {
	return emit.Declarations(plan.Declarations(app, records, enums), emit.Options{Import: importPath})
}

// Generate plans a checked program and writes it as the Go package with the import path that is given. The error is a fault of
// the compiler, never of the user.
func Generate(m *model.Program, importPath string) (*Result, error) {
	r := &Result{}
	r.Plan, r.Diags = plan.New(m)
	if r.Diags.HasErrors() {
		return r, nil
	}
	var err error
	r.Files, err = emit.Files(r.Plan, emit.Options{Import: importPath})
	return r, err
}
