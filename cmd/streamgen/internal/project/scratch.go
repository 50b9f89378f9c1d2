package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Scratch is a module to compile generated packages in without writing anything: the one around a directory, with a go.mod
// of its own that requires the runtime, or an empty one.
type Scratch struct {
	Project
	Flags []string // for go build

	dir string
}

// NewScratch makes one for specs in dir.
func NewScratch(dir string) (*Scratch, error) {
	around, err := Find(dir, "scratch", "")
	if err == nil && around.own() {
		return &Scratch{Project: *around}, nil
	}
	temporary, err := os.MkdirTemp("", "streamgen-module-")
	if err != nil {
		return nil, err
	}
	s := &Scratch{Project: Project{Root: temporary, Module: "streamgen.test"}, Flags: []string{"-mod=mod"}, dir: temporary}
	if err := s.fill(around); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// fill makes the go.mod and has it require the runtime.
func (s *Scratch) fill(around *Project) error {
	name := filepath.Join(s.dir, "go.mod")
	if around == nil {
		if err := os.WriteFile(name, []byte("module "+s.Module+"\n"), 0o644); err != nil {
			return err
		}
		_, err := s.Require()
		return err
	}
	for _, file := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(around.Root, file))
		if file == "go.sum" && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(s.dir, file), data, 0o644); err != nil {
			return err
		}
	}
	s.Module = around.Module
	if _, err := s.Require(); err != nil {
		return err
	}
	s.Root = around.Root
	s.Flags = append(s.Flags, "-modfile="+name)
	return nil
}

// Environ is the environment for go build. A workspace does not know the other go.mod.
func (s *Scratch) Environ() []string { return append(s.Project.Environ(), "GOWORK=off") }

// Close removes what was made.
func (s *Scratch) Close() {
	if s.dir != "" {
		os.RemoveAll(s.dir)
	}
}
