package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/streamgen/streamgen"
	"github.com/streamgen/streamgen/cmd/streamgen/internal/modproxy"
)

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestFind(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "shop", "go.mod"), "module example.com/shop\n\ngo 1.26\n")
	write(t, filepath.Join(root, "shop", "flows", "app.hcl"), "")
	p, err := Find(filepath.Join(root, "shop", "flows"), "orders", "")
	if err != nil {
		t.Fatal(err)
	}
	want := Project{
		Root: filepath.Join(root, "shop"), Module: "example.com/shop", Import: "example.com/shop/generated/orders",
		Out: filepath.Join(root, "shop", "generated", "orders"), Binary: filepath.Join(root, "shop", "bin", "orders"),
	}
	if *p != want {
		t.Errorf("got %+v\nwant %+v", *p, want)
	}
	if got := p.Command("orders"); got != "example.com/shop/generated/orders/cmd/orders" {
		t.Error(got)
	}
	for name, c := range map[string]struct{ dir, out, want string }{
		"no module":     {root, "", "there is no go.mod"},
		"out above":     {filepath.Join(root, "shop"), root, "not a directory below"},
		"out is root":   {filepath.Join(root, "shop"), filepath.Join(root, "shop"), "not a directory below"},
		"no import":     {filepath.Join(root, "shop"), filepath.Join(root, "shop", "a b"), "cannot be imported"},
		"out beside it": {filepath.Join(root, "shop"), filepath.Join(root, "shop2"), "not a directory below"},
	} {
		if _, err := Find(c.dir, "orders", c.out); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
}

func TestRequire(t *testing.T) {
	version, _ := modproxy.Version()
	root := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	mod, sum := filepath.Join(root, "go.mod"), filepath.Join(root, "go.sum")
	write(t, mod, "module example.com/shop\n\ngo 1.22\n\nrequire (\n\texample.com/x v1.0.0\n\tgithub.com/streamgen/streamgen v0.0.0-old // why\n)\n")
	write(t, sum, "example.com/x v1.0.0 h1:a\ngithub.com/streamgen/streamgen v0.0.0-old h1:b\ngithub.com/streamgen/streamgen v0.0.0-old/go.mod h1:c\n")
	p := &Project{Root: root, Module: "example.com/shop"}
	changed, err := p.Require()
	if err != nil || !changed {
		t.Fatal(changed, err)
	}
	if got := read(t, mod); !strings.Contains(got, streamgen.Module+" "+version) || strings.Contains(got, "old ") || !strings.Contains(got, "example.com/x v1.0.0") || !strings.Contains(got, "go 1.26") {
		t.Errorf("go.mod:\n%s", got)
	}
	if got := read(t, sum); got != "example.com/x v1.0.0 h1:a\n" {
		t.Errorf("go.sum:\n%s", got)
	}
	before := read(t, mod)
	if changed, err := p.Require(); err != nil || changed || read(t, mod) != before {
		t.Errorf("a second time: %v, %v", changed, err)
	}
	replaced := "module example.com/shop\n\ngo 1.26.0\n\nreplace github.com/streamgen/streamgen => ../streamgen\n"
	write(t, mod, replaced)
	if changed, err := p.Require(); err != nil || changed || read(t, mod) != replaced {
		t.Errorf("with a replace: %v, %v", changed, err)
	}
	own := &Project{Root: root, Module: streamgen.Module}
	if changed, err := own.Require(); err != nil || changed {
		t.Errorf("in this module: %v, %v", changed, err)
	}
}

func TestOlder(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{{"1.22", "1.26.0", true}, {"1.26", "1.26.0", false}, {"1.26.0", "1.26.1", true}, {"1.27rc1", "1.26.8", false}, {"2.0", "1.99", false}} {
		if got := older(c.a, c.b); got != c.want {
			t.Errorf("older(%s, %s) = %v", c.a, c.b, got)
		}
	}
}
