package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"github.com/spf13/cobra"
	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/streamgen/streamgen"
)

func (t *tool) init() *cobra.Command {
	var modulePath, app string
	c := &cobra.Command{
		Use:   "init DIR",
		Short: "Make a new project that builds and runs at once",
		Long:  "Init writes a small program with its input into a new or empty directory: a spec, a\nGo module, and what is needed to run and ship it.",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := filepath.Abs(args[0])
			if err != nil {
				return usageError{err}
			}
			p := newProject{App: app, Module: modulePath}
			if p.App == "" {
				p.App = label(filepath.Base(dir))
			}
			if p.Module == "" {
				p.Module = "example.com/" + p.App
			}
			if err := p.fill(); err != nil {
				return usageError{err}
			}
			if err := empty(dir); err != nil {
				return usageError{err}
			}
			if err := t.scaffold(dir, p); err != nil {
				return err
			}
			in := ""
			if r := t.relative(dir); r != "." {
				in = "-C " + r + " "
			}
			t.say("\nnext: streamgen %srun --input input", in)
			return nil
		},
	}
	c.Flags().StringVar(&modulePath, "module", "", "Go module `path` (default example.com/<app>)")
	c.Flags().StringVar(&app, "app", "", "`name` of the program: its consumer group and the prefix of its topics (default: from DIR)")
	return c
}

// newProject is what the templates are filled with.
type newProject struct {
	App    string
	Module string
	Go     string // language version
}

var appLabel = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)

func (p *newProject) fill() error {
	if !appLabel.MatchString(p.App) {
		return fmt.Errorf("%q is no name for a program: it begins with a letter and consists of a-z, 0-9, - and _\nhint: --app NAME", p.App)
	}
	if err := module.CheckImportPath(p.Module); err != nil {
		return fmt.Errorf("%w\nhint: --module PATH", err)
	}
	mod, err := streamgen.Source.ReadFile("go.mod")
	if err != nil {
		return err
	}
	f, err := modfile.ParseLax("go.mod", mod, nil)
	if err != nil {
		return err
	}
	p.Go = f.Go.Version
	return nil
}

// label makes a name for a program out of a directory's.
func label(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9' && b.Len() > 0, r == '_' && b.Len() > 0:
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	if s := strings.Trim(b.String(), "-"); s != "" {
		return s
	}
	return "app"
}

// empty refuses directories in which something would be overwritten.
func empty(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != ".git" {
			return fmt.Errorf("%s is not empty", dir)
		}
	}
	return nil
}

// scaffold writes the files of templates/init. Those that end in .tmpl are filled in; a leading "dot-" becomes a dot.
func (t *tool) scaffold(dir string, p newProject) error {
	const root = "templates/init"
	return fs.WalkDir(streamgen.Templates, root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := streamgen.Templates.ReadFile(name)
		if err != nil {
			return err
		}
		below := strings.TrimPrefix(name, root+"/")
		if filled, ok := strings.CutSuffix(below, ".tmpl"); ok {
			below = filled
			tmpl, err := template.New(name).Option("missingkey=error").Parse(string(data))
			if err != nil {
				return err
			}
			var b bytes.Buffer
			if err := tmpl.Execute(&b, p); err != nil {
				return err
			}
			data = b.Bytes()
		}
		below = path.Join(path.Dir(below), strings.Replace(path.Base(below), "dot-", ".", 1))
		to := filepath.Join(dir, filepath.FromSlash(below))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, data, 0o644); err != nil {
			return err
		}
		t.say("%s", t.relative(to))
		return nil
	})
}
