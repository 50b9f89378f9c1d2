package project

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/streamgen/streamgen"
	"github.com/streamgen/streamgen/cmd/streamgen/internal/modproxy"
)

// Require sees to it that the module requires the runtime that this command generates code for, and that Go's module cache has
// it. It changes go.mod only if the requirement is missing or names another version; a replace is the user's decision and
// stays. It tells whether it changed something.
func (p *Project) Require() (changed bool, err error) {
	if p.own() {
		return false, nil
	}
	name := filepath.Join(p.Root, "go.mod")
	data, err := os.ReadFile(name)
	if err != nil {
		return false, err
	}
	f, err := modfile.Parse(name, data, nil)
	if err != nil {
		return false, err
	}
	for _, r := range f.Replace {
		if r.Old.Path == streamgen.Module {
			return false, nil
		}
	}
	if err := modproxy.Provide(os.Environ()); err != nil {
		return false, err
	}
	version, _ := modproxy.Version()
	for _, r := range f.Require {
		if r.Mod.Path == streamgen.Module && r.Mod.Version == version {
			return false, nil
		}
	}
	if err := raiseGo(f); err != nil {
		return false, err
	}
	if err := f.AddRequire(streamgen.Module, version); err != nil {
		return false, err
	}
	f.Cleanup()
	data, err = f.Format()
	if err != nil {
		return false, err
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		return false, err
	}
	return true, p.forgetSums(version)
}

// raiseGo gives a module at least the language version of the runtime: Go refuses to build what requires a newer one.
func raiseGo(f *modfile.File) error {
	mod, err := streamgen.Source.ReadFile("go.mod")
	if err != nil {
		return err
	}
	needed, err := modfile.ParseLax("go.mod", mod, nil)
	if err != nil {
		return err
	}
	if f.Go != nil && !older(f.Go.Version, needed.Go.Version) {
		return nil
	}
	return f.AddGoStmt(needed.Go.Version)
}

// older compares Go versions such as 1.26 and 1.26.0.
func older(a, b string) bool {
	var x, y [3]int
	fmt.Sscanf(a, "%d.%d.%d", &x[0], &x[1], &x[2])
	fmt.Sscanf(b, "%d.%d.%d", &y[0], &y[1], &y[2])
	for i := range x {
		if x[i] != y[i] {
			return x[i] < y[i]
		}
	}
	return false
}

// forgetSums takes the checksums of other versions of the runtime out of go.sum, where each development build would leave two.
func (p *Project) forgetSums(version string) error {
	name := filepath.Join(p.Root, "go.sum")
	data, err := os.ReadFile(name)
	if notThere(err) {
		return nil
	}
	if err != nil {
		return err
	}
	var kept bytes.Buffer
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if len(fields) > 1 && fields[0] == streamgen.Module && strings.TrimSuffix(fields[1], "/go.mod") != version {
			continue
		}
		kept.WriteString(line)
	}
	if kept.Len() == len(data) {
		return nil
	}
	return os.WriteFile(name, kept.Bytes(), 0o644)
}
