package project

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/streamgen/streamgen"
	"github.com/streamgen/streamgen/cmd/streamgen/internal/modproxy"
	"github.com/streamgen/streamgen/spec/gosource"
)

// Source is how Go code of the module is read, for a spec to be checked against. The module may not require the runtime yet, which
// user code sees through the package records; it is not changed. done ends the reading.
func (p *Project) Source() (c gosource.Config, done func(), err error) {
	f, err := p.modFile()
	if err != nil {
		return c, nil, err
	}
	if p.own() || requiresRuntime(f) || p.modFlags(context.Background()) == nil { // the last: the user's own way with modules
		return gosource.Config{Dir: p.Root, Env: p.Environ()}, func() {}, nil
	}
	s, err := NewScratch(p.Root)
	if err != nil {
		return c, nil, err
	}
	return gosource.Config{Dir: p.Root, Env: s.Environ(), Flags: s.Flags}, s.Close, nil
}

func (p *Project) modFile() (*modfile.File, error) {
	name := filepath.Join(p.Root, "go.mod")
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return modfile.Parse(name, data, nil)
}

// requiresRuntime says whether a module requires the runtime of this command already, or has its own.
func requiresRuntime(f *modfile.File) bool {
	for _, r := range f.Replace {
		if r.Old.Path == streamgen.Module {
			return true
		}
	}
	version, _ := modproxy.Version()
	for _, r := range f.Require {
		if r.Mod.Path == streamgen.Module {
			return r.Mod.Version == version
		}
	}
	return false
}

// Missing says why a package cannot be there, without asking anybody: it is none of the module's, nor of a module that go.mod
// requires. "": it may be there. The go command would look for it in the net, and add a requirement.
func (p *Project) Missing(path string) string {
	if below, ok := strings.CutPrefix(path, p.Module); ok && (below == "" || below[0] == '/') {
		dir := filepath.Join(p.Root, filepath.FromSlash(below))
		if files, err := filepath.Glob(filepath.Join(dir, "*.go")); err == nil && len(files) == 0 {
			return "there is no Go file in " + strings.TrimPrefix(below+"/", "/")
		}
		return ""
	}
	if first, _, _ := strings.Cut(path, "/"); !strings.Contains(first, ".") {
		return "" // of the standard library, or of a workspace
	}
	f, err := p.modFile()
	if err != nil || p.modFlags(context.Background()) == nil {
		return ""
	}
	for _, r := range f.Require {
		if path == r.Mod.Path || strings.HasPrefix(path, r.Mod.Path+"/") {
			return ""
		}
	}
	return "no module that go.mod requires has it; `go get " + path + "` adds one"
}
