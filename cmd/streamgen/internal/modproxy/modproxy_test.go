package modproxy

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"

	"github.com/streamgen/streamgen"
)

func TestZip(t *testing.T) {
	var a, b bytes.Buffer
	if err := Zip(&a); err != nil {
		t.Fatal(err)
	}
	if err := Zip(&b); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("the same source gives other bytes")
	}
	r, err := zip.NewReader(bytes.NewReader(a.Bytes()), int64(a.Len()))
	if err != nil {
		t.Fatal(err)
	}
	version, _ := Version()
	names := map[string]bool{}
	for _, f := range r.File {
		name, ok := strings.CutPrefix(f.Name, streamgen.Module+"@"+version+"/")
		if !ok {
			t.Errorf("%s is not below the module", f.Name)
		}
		names[name] = true
		if strings.HasSuffix(name, "_test.go") || strings.Contains(name, "testdata") {
			t.Errorf("%s is for tests only", name)
		}
		if dir, _, _ := strings.Cut(name, "/"); dir != "runtime" && dir != "go.mod" && dir != "LICENSE" {
			t.Errorf("%s is not the runtime", name)
		}
	}
	for _, want := range []string{"go.mod", "LICENSE", "runtime/main.go", "runtime/internal/failpoint/failpoint.go"} {
		if !names[want] {
			t.Errorf("%s is missing", want)
		}
	}
}

func TestVersion(t *testing.T) {
	version, release := Version()
	if release || !module.IsPseudoVersion(version) {
		t.Errorf("%s, release %v", version, release)
	}
	if err := module.Check(streamgen.Module, version); err != nil {
		t.Error(err)
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		if err := Write(dir); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(filepath.Join(dir, filepath.FromSlash(streamgen.Module), "@v"))
	if err != nil {
		t.Fatal(err)
	}
	version, _ := Version()
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if got, want := strings.Join(names, " "), version+".info "+version+".mod "+version+".zip"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestFileURL(t *testing.T) {
	if got := fileURL("/home/a b/c,d|e%"); got != "file:///home/a%20b/c%2Cd%7Ce%25" {
		t.Error(got)
	}
}
