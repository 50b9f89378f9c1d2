package codegen_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/streamgen/streamgen/codegen"
	"github.com/streamgen/streamgen/codegen/names"
	"github.com/streamgen/streamgen/spec/gocode"
	"github.com/streamgen/streamgen/spec/gosource"
)

// users are the files of a golden that are the user's Go code, and tests of what it comes to.
func (g golden) users() (files []txtar.File) {
	for _, f := range g.archive.Files {
		if strings.HasPrefix(f.Name, "users/") {
			files = append(files, f)
		}
	}
	return files
}

// Read implements gocode.Reader, in a module in which nothing has been generated yet.
func (g golden) Read(r gocode.Request) (*gocode.Code, error) {
	dir, err := os.MkdirTemp("", "streamgen-golden-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	mod, sum, err := goldenModule()
	if err != nil {
		return nil, err
	}
	for name, data := range map[string][]byte{"go.mod": mod, "go.sum": sum} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return nil, err
		}
	}
	overlay := map[string][]byte{}
	for _, f := range g.users() {
		overlay[filepath.Join(dir, filepath.FromSlash(f.Name))] = f.Data
	}
	path := base + "/" + names.Package(r.App)
	declared, err := codegen.Declarations(r.App, path, r.Records, r.Enums)
	if err != nil {
		return nil, err
	}
	for _, f := range declared {
		overlay[filepath.Join(dir, names.Package(r.App), filepath.FromSlash(f.Path))] = f.Content
	}
	return gosource.Read(gosource.Config{
		Dir: dir, Env: append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "CGO_ENABLED=0"), Flags: []string{"-mod=mod"}, Overlay: overlay,
		Name:    func(file string) string { return strings.TrimPrefix(file, dir+string(filepath.Separator)) },
		Records: path + "/records",
	}, r.Refs)
}

// goldenModule is the go.mod and the go.sum of the module that the goldens are compiled in.
func goldenModule() (mod, sum []byte, err error) {
	root, err := filepath.Abs("..")
	if err != nil {
		return nil, nil, err
	}
	if mod, err = os.ReadFile(filepath.Join(root, "go.mod")); err != nil {
		return nil, nil, err
	}
	if sum, err = os.ReadFile(filepath.Join(root, "go.sum")); err != nil {
		return nil, nil, err
	}
	mod = bytes.Replace(mod, []byte("module "+module), []byte("module "+base), 1)
	return fmt.Appendf(mod, "\nrequire %s v0.0.0\nreplace %s => %s\n", module, module, root), sum, nil
}
