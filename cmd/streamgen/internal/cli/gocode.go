package cli

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/streamgen/streamgen/cmd/streamgen/internal/project"
	"github.com/streamgen/streamgen/codegen"
	"github.com/streamgen/streamgen/spec/gocode"
	"github.com/streamgen/streamgen/spec/gosource"
)

// goCode reads the user's Go code for the checker: with the package records that the spec gives laid over the module, whatever of it
// is written already. Nothing is changed.
type goCode struct {
	tool *tool
	dir  string // of the spec
	out  string // where the generated package goes; "": the default
}

// Read implements gocode.Reader.
func (g *goCode) Read(r gocode.Request) (*gocode.Code, error) {
	p, err := project.Find(g.dir, r.App, g.out)
	if err != nil {
		return nil, err
	}
	var refs []gocode.Ref
	var faults []gocode.Fault
	for _, ref := range r.Refs {
		if why := p.Missing(ref.Import); why != "" {
			faults = append(faults, gocode.Fault{Import: ref.Import, Text: why})
		} else {
			refs = append(refs, ref)
		}
	}
	if len(refs) == 0 {
		return &gocode.Code{Faults: faults}, nil
	}
	files, err := codegen.Declarations(r.App, p.Import, r.Records, r.Enums)
	if err != nil {
		return nil, internalError{err}
	}
	source, done, err := p.Source()
	if err != nil {
		return nil, err
	}
	defer done()
	source.Name, source.Records = g.tool.relative, p.Import+"/records"
	source.Overlay = map[string][]byte{}
	written, err := filepath.Glob(filepath.Join(p.Out, "records", "*.go"))
	if err != nil {
		return nil, err
	}
	for _, name := range written { // what is stale must not count
		source.Overlay[name] = []byte("package records\n")
	}
	for _, f := range files {
		source.Overlay[filepath.Join(p.Out, filepath.FromSlash(f.Path))] = f.Content
	}
	code, err := gosource.Read(source, refs)
	if err != nil {
		return nil, err
	}
	code.Faults = append(code.Faults, faults...)
	return code, nil
}

// source is the text of a file that a diagnostic speaks of: of the spec, or of Go code.
func source(spec func(string) []byte) func(string) []byte {
	return func(name string) []byte {
		if text := spec(name); text != nil || !strings.HasSuffix(name, ".go") {
			return text
		}
		text, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil {
			return nil
		}
		return text
	}
}
