// Package codegen is the back of the compiler: from the model of a program to the files of its Go package.
package codegen

import (
	"github.com/streamgen/streamgen/codegen/emit"
	"github.com/streamgen/streamgen/codegen/output"
	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
)

// Result is what Generate made.
type Result struct {
	Plan  *plan.Plan // nil if Diags has errors
	Files []output.File
	Diags diag.List
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
