package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/streamgen/streamgen"
)

// TestScratchLeavesTheModuleAlone: a module that does not require the runtime yet does so in another go.mod.
func TestScratchLeavesTheModuleAlone(t *testing.T) {
	root := t.TempDir()
	const mod = "module example.com/shop\n\ngo 1.26\n"
	write(t, filepath.Join(root, "go.mod"), mod)
	write(t, filepath.Join(root, "flows", "app.hcl"), "")
	s, err := NewScratch(filepath.Join(root, "flows"))
	if err != nil {
		t.Fatal(err)
	}
	if s.Root != root || s.Module != "example.com/shop" || len(s.Flags) != 2 || s.Flags[0] != "-mod=mod" {
		t.Errorf("got %+v", s)
	}
	other := strings.TrimPrefix(s.Flags[1], "-modfile=")
	if text := read(t, other); !strings.Contains(text, streamgen.Module+" v") {
		t.Errorf("the other go.mod does not require the runtime:\n%s", text)
	}
	if read(t, filepath.Join(root, "go.mod")) != mod {
		t.Error("the module's go.mod was changed")
	}
	s.Close()
	if _, err := os.Stat(other); err == nil {
		t.Error("the other go.mod is still there")
	}
}

func TestScratchWithoutAModule(t *testing.T) {
	s, err := NewScratch(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if text := read(t, filepath.Join(s.Root, "go.mod")); !strings.Contains(text, "module streamgen.test") || !strings.Contains(text, streamgen.Module+" v") {
		t.Errorf("got\n%s", text)
	}
}

func TestScratchOfTheRuntimeItself(t *testing.T) {
	s, err := NewScratch(".")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.Module != streamgen.Module || len(s.Flags) > 0 {
		t.Errorf("got %+v", s)
	}
}
