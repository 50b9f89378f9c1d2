package examples_test

import (
	"os"
	"path/filepath"

	"github.com/streamgen/streamgen/codegen"
	"github.com/streamgen/streamgen/spec/gocode"
	"github.com/streamgen/streamgen/spec/gosource"
)

// goCode reads the Go code of examples as the command does. What is committed of generated packages does not count.
type goCode struct{}

func (goCode) Read(r gocode.Request) (*gocode.Code, error) {
	root, err := filepath.Abs("..")
	if err != nil {
		return nil, err
	}
	path, dir := module+"/generated/"+r.App, filepath.Join(root, "generated", r.App)
	overlay := map[string][]byte{}
	written, err := filepath.Glob(filepath.Join(dir, "records", "*.go"))
	if err != nil {
		return nil, err
	}
	for _, name := range written {
		overlay[name] = []byte("package records\n")
	}
	files, err := codegen.Declarations(r.App, path, r.Records, r.Enums)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		overlay[filepath.Join(dir, filepath.FromSlash(f.Path))] = f.Content
	}
	return gosource.Read(gosource.Config{Dir: root, Env: append(os.Environ(), "CGO_ENABLED=0"), Overlay: overlay, Records: path + "/records"}, r.Refs)
}
