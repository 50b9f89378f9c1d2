// Package project is the Go module that a spec lies in: where generated code and binaries go, what the module must require, and
// the calls of the go command.
package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/streamgen/streamgen"
)

// Project is a module and a program in it.
type Project struct {
	Root   string // directory of go.mod, absolute
	Module string // its path
	Out    string // directory of the generated package, absolute
	Import string // its import path
	Binary string // absolute
}

// Find finds the module around dir and the places for a program: generated/<app> and bin/<app> beside go.mod, unless out names
// another directory.
func Find(dir, app, out string) (*Project, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	p := &Project{Root: dir}
	for !isFile(filepath.Join(p.Root, "go.mod")) {
		parent := filepath.Dir(p.Root)
		if parent == p.Root {
			return nil, fmt.Errorf("there is no go.mod in %s or above it: the generated code is a package of your module\nhint: `go mod init example.com/shop`, or `streamgen init DIR` for a new project", dir)
		}
		p.Root = parent
	}
	data, err := os.ReadFile(filepath.Join(p.Root, "go.mod"))
	if err != nil {
		return nil, err
	}
	if p.Module = modfile.ModulePath(data); p.Module == "" {
		return nil, fmt.Errorf("%s names no module", filepath.Join(p.Root, "go.mod"))
	}
	p.Binary = filepath.Join(p.Root, "bin", app)
	p.Out = filepath.Join(p.Root, "generated", app)
	if out != "" {
		if p.Out, err = filepath.Abs(out); err != nil {
			return nil, err
		}
	}
	below, err := filepath.Rel(p.Root, p.Out)
	if err != nil || below == "." || below == ".." || strings.HasPrefix(below, ".."+string(filepath.Separator)) {
		return nil, fmt.Errorf("%s is not a directory below %s: the generated code is a package of that module", p.Out, p.Root)
	}
	p.Import = path.Join(p.Module, filepath.ToSlash(below))
	if err := module.CheckImportPath(p.Import); err != nil {
		return nil, fmt.Errorf("the generated package cannot be imported: %w", err)
	}
	return p, nil
}

// Command is the import path of the generated program of an app.
func (p *Project) Command(app string) string { return path.Join(p.Import, "cmd", app) }

// own tells whether this is the module that the runtime itself is part of.
func (p *Project) own() bool { return p.Module == streamgen.Module }

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

func notThere(err error) bool { return errors.Is(err, fs.ErrNotExist) }
