package cli

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/streamgen/streamgen/codegen/output"
	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/syntax"
)

func (t *tool) fmt() *cobra.Command {
	var checkOnly, showDiff bool
	c := &cobra.Command{
		Use:   "fmt [file | directory | -]...",
		Short: "Write specs in the one form",
		Long: `Fmt formats *.hcl files in place and prints the names of those it changed. A
directory stands for the files in it and below; - formats standard input.`,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"."}
			}
			if slices.Contains(args, "-") {
				if len(args) > 1 {
					return usageError{fmt.Errorf("- stands alone")}
				}
				return t.formatInput(checkOnly, showDiff)
			}
			names, err := hclFiles(args)
			if err != nil {
				return err
			}
			return t.formatFiles(names, checkOnly, showDiff)
		},
	}
	c.Flags().BoolVar(&checkOnly, "check", false, "change nothing; exit with 2 if a file is not in the one form")
	c.Flags().BoolVar(&showDiff, "diff", false, "change nothing; print the differences")
	completeSpec(c)
	return c
}

// hclFiles are the files that arguments name, each once.
func hclFiles(args []string) ([]string, error) {
	var names []string
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err != nil {
			return nil, usageError{err}
		}
		if !info.IsDir() {
			names = append(names, filepath.Clean(arg))
			continue
		}
		err = filepath.WalkDir(arg, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && name != arg && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
				return fs.SkipDir
			case !d.IsDir() && strings.HasSuffix(name, ".hcl"):
				names = append(names, name)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

func (t *tool) formatFiles(names []string, checkOnly, showDiff bool) error {
	wrong, stale := false, false
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		out, ok := t.format(filepath.ToSlash(name), src)
		if !ok {
			wrong = true
			continue
		}
		if bytes.Equal(src, out) {
			continue
		}
		stale = true
		if showDiff {
			t.diff(name, src, out)
		} else {
			fmt.Fprintln(t.out, filepath.ToSlash(name))
		}
		if !checkOnly && !showDiff {
			if err := os.WriteFile(name, out, 0o644); err != nil {
				return err
			}
		}
	}
	switch {
	case wrong:
		return exit(exitFailed)
	case stale && checkOnly:
		return exit(exitStale)
	default:
		return nil
	}
}

func (t *tool) formatInput(checkOnly, showDiff bool) error {
	src, err := io.ReadAll(t.in)
	if err != nil {
		return err
	}
	const name = "<stdin>"
	out, ok := t.format(name, src)
	switch {
	case !ok:
		return exit(exitFailed)
	case showDiff:
		if !bytes.Equal(src, out) {
			t.diff(name, src, out)
		}
	case !checkOnly:
		_, err := t.out.Write(out)
		return err
	}
	if checkOnly && !bytes.Equal(src, out) {
		return exit(exitStale)
	}
	return nil
}

// format formats one file, or says why it cannot.
func (t *tool) format(name string, src []byte) ([]byte, bool) {
	out, diags := syntax.Format(name, src)
	if !diags.HasErrors() {
		return out, true
	}
	f, _ := syntax.ParseFile(name, src)
	_ = diag.WriteText(t.err, diags, diag.TextOptions{Color: t.colored(t.err), Sources: func(string) []byte { return f.Source }})
	return nil, false
}

func (t *tool) diff(name string, before, after []byte) {
	fmt.Fprint(t.out, output.Diff("", []output.Change{{Kind: output.Update, Path: filepath.ToSlash(name), Old: before, New: after}}))
}
