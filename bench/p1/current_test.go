package p1_test

import (
	"os"
	"testing"

	"github.com/streamgen/streamgen/codegen"
	"github.com/streamgen/streamgen/codegen/output"
	"github.com/streamgen/streamgen/spec"
	"github.com/streamgen/streamgen/spec/check"
)

// What is measured is what the spec gives.
func TestGeneratedIsCurrent(t *testing.T) {
	u := spec.Load(os.DirFS("."), ".", check.Options{})
	if u.Diags.HasErrors() {
		t.Fatal(u.Diags)
	}
	r, err := codegen.Generate(u.Model, "github.com/streamgen/streamgen/generated/p1")
	if err != nil || r.Diags.HasErrors() {
		t.Fatal(err, r.Diags)
	}
	changes, err := output.Compare("../../generated/p1", r.Files)
	if err != nil {
		t.Fatal(err)
	}
	if len(changes) > 0 {
		t.Errorf("`streamgen build bench/p1` writes it anew:\n%s", output.Report("generated/p1", changes))
	}
}
