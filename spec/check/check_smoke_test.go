package check

import (
	"fmt"
	"github.com/streamgen/streamgen/spec/syntax"
	"os"
	"path/filepath"
	"testing"
)

func TestSmoke(t *testing.T) {
	fs, _ := filepath.Glob("/work/shared/reference/specs/*/app.hcl")
	for _, f := range fs {
		src, _ := os.ReadFile(f)
		file, ds := syntax.ParseFile(filepath.Base(filepath.Dir(f)), src)
		p, d2 := syntax.Parse(file)
		ds.Append(d2)
		if !ds.HasErrors() {
			_, d3 := Check(p, Options{})
			ds.Append(d3)
		}
		st := "OK"
		if ds.HasErrors() {
			st = "ERR"
		}
		fmt.Println(st, filepath.Base(filepath.Dir(f)))
		for _, d := range ds {
			fmt.Printf("   %s %s %s | %s | %s\n", d.Range, d.Code, d.Summary, d.Detail, d.Hint)
		}
	}
}
