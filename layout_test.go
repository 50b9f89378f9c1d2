package streamgen_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/streamgen/streamgen"

// rule says who may import what. The first rule whose Imported fits decides; an importer not among May is a fault.
type rule struct {
	imported string   // the import path or a prefix of it that ends at a slash
	may      []string // folders of the importing package, from the top of the repository
	why      string
}

// rules are the layers of docs/architecture.md. Tests of a package may import more: the rules are about what is shipped.
var rules = []rule{
	{"github.com/hashicorp/hcl", []string{"spec/syntax"}, "spec/syntax turns HCL into a tree of our own"},
	{"golang.org/x/tools/go/packages", []string{"spec/gosource"}, "only spec/gosource reads the user's Go"},
	{"github.com/dave/jennifer", []string{"codegen/emit"}, "only the emitter writes Go"},
	{"github.com/cockroachdb/pebble", []string{"runtime/state", "bench"}, "stores are behind state.Backend"},
	{"github.com/twmb/franz-go/pkg/kfake", []string{"cmd", "internal", "bench"}, "the fake broker is linked into the tool only"},
	{"github.com/twmb/franz-go", []string{"runtime/kafka", "runtime/engine", "cmd", "internal", "bench"}, "the client is behind runtime/kafka and runtime/engine"},
	{"github.com/prometheus", []string{"runtime/internal/httpd", "cmd"}, "metrics are plain counters until they are served"},
	{module + "/spec", []string{"spec", "codegen", "cmd"}, "the runtime knows nothing of the language"},
	{module + "/codegen", []string{"codegen", "cmd"}, "the runtime knows nothing of the compiler"},
	{module + "/spec/syntax", []string{"spec", "cmd"}, "the generator sees the model, not the tree"},
	{"golang.org/x/tools/go/packages", []string{"spec/gosource"}, "spec/gosource turns Go source into plain data"},
	{module + "/generated", []string{"generated", "bench", "examples"}, "generated programs are leaves"},
}

func TestLayers(t *testing.T) {
	for _, f := range goFiles(t) {
		if strings.HasSuffix(f.path, "_test.go") {
			continue
		}
		dir := path.Dir(f.path)
		for _, spec := range f.ast.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range rules {
				if under(imported, r.imported) && !slices.ContainsFunc(r.may, func(may string) bool { return under(dir, may) }) {
					t.Errorf("%s imports %s: %s", f.path, imported, r.why)
				}
			}
			if under(dir, "generated") && strings.Contains(imported, ".") &&
				!under(imported, module+"/runtime") && !under(imported, module+"/generated") && !under(imported, module+"/examples") {
				t.Errorf("%s imports %s: generated code imports the runtime, the standard library, the user's packages and its own", f.path, imported)
			}
		}
	}
}

// A reader finds a package's place in the pipeline in its comment.
func TestPackageComments(t *testing.T) {
	commented := map[string]bool{}
	var dirs []string
	for _, f := range goFiles(t) {
		if strings.HasSuffix(f.path, "_test.go") {
			continue
		}
		dir := path.Dir(f.path)
		if _, seen := commented[dir]; !seen {
			dirs = append(dirs, dir)
		}
		commented[dir] = commented[dir] || f.ast.Doc != nil
	}
	for _, dir := range dirs {
		if !commented[dir] {
			t.Errorf("package %s has no package comment", dir)
		}
	}
}

// A file holds one concept. The limit is generous: most files are a third of it.
func TestFileLength(t *testing.T) {
	for _, f := range goFiles(t) {
		if under(path.Dir(f.path), "generated") {
			continue
		}
		if n := f.set.File(f.ast.Pos()).LineCount(); n > 600 {
			t.Errorf("%s has %d lines: split it by concept", f.path, n)
		}
	}
}

type goFile struct {
	path string
	set  *token.FileSet
	ast  *ast.File
}

// goFiles parses the imports and comments of every Go file of the repository, testdata aside.
func goFiles(t *testing.T) []goFile {
	t.Helper()
	var files []goFile
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || p != "." && strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(p, ".go"):
			return nil
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, p, nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		files = append(files, goFile{filepath.ToSlash(p), set, parsed})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("no Go files found")
	}
	return files
}

// under reports whether the slash path p is dir or lies below it.
func under(p, dir string) bool { return p == dir || strings.HasPrefix(p, dir+"/") }
