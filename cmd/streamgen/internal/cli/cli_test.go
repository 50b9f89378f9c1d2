package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"streamgen": func() { os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// TestScripts runs testdata/script: each is a session with the command. Those that compile with Go are skipped by -short.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:   "testdata/script",
		Setup: setup,
		Cmds:  map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// setup gives scripts Go's caches, and an empty home.
func setup(env *testscript.Env) error {
	names := []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOFLAGS", "GONOSUMDB", "CGO_ENABLED"}
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		return err
	}
	values := strings.Split(string(out), "\n")
	for i, name := range names {
		env.Setenv(name, values[i])
	}
	home := filepath.Join(env.WorkDir, "home")
	env.Setenv("HOME", home)
	env.Setenv("XDG_CACHE_HOME", filepath.Join(home, "cache"))
	return os.MkdirAll(home, 0o755)
}

// exits is "exits CODE streamgen …": the exit code must be that one.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exited *exec.ExitError
		if !errors.As(err, &exited) {
			ts.Fatalf("%v", err)
		}
		code = exited.ExitCode()
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		name string
		run  func() error
		want int
		says string
	}{
		{"done", func() error { return nil }, 0, ""},
		{"said", func() error { return exit(exitStale) }, 2, ""},
		{"failed", func() error { return errors.New("disk full") }, 1, "streamgen: disk full\n"},
		{"usage", func() error { return usageError{errors.New("no such flag")} }, 64, "streamgen: no such flag\n"},
		{"fault", func() error { return fmt.Errorf("build: %w", internalError{errors.New("not Go")}) }, 70, "Please report it"},
		{"panic", func() error { panic("index out of range") }, 70, "internal fault: index out of range"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var said strings.Builder
			tool := &tool{out: io.Discard, err: &said}
			if got := tool.guard(c.run); got != c.want {
				t.Errorf("exit code %d, want %d", got, c.want)
			}
			if !strings.Contains(said.String(), c.says) || c.says == "" && said.Len() > 0 {
				t.Errorf("said %q, want %q", said.String(), c.says)
			}
		})
	}
}

func TestLabel(t *testing.T) {
	for in, want := range map[string]string{
		"shop": "shop", "My Shop": "my-shop", "42-orders": "orders", "Größe!": "gr-e", "..": "app", "a_b.c": "a_b-c", "日本": "app",
	} {
		if got := label(in); got != want {
			t.Errorf("label(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	if got := wrap("aa bb cc dd\neee", 5); got != "aa bb\ncc dd\neee" {
		t.Errorf("got %q", got)
	}
}

// Colours are for terminals, unless the environment or the command line says otherwise.
func TestColors(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("needs a system with /dev/ptmx: ", err)
	}
	defer terminal.Close()
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, c := range []struct {
		color, noColor, term string
		to                   io.Writer
		want                 bool
	}{
		{"auto", "", "xterm", terminal, true},
		{"auto", "", "xterm", file, false},
		{"auto", "", "xterm", io.Discard, false},
		{"auto", "1", "xterm", terminal, false},
		{"auto", "", "dumb", terminal, false},
		{"never", "", "xterm", terminal, false},
		{"always", "1", "dumb", file, true},
	} {
		t.Setenv("NO_COLOR", c.noColor)
		t.Setenv("TERM", c.term)
		if got := (&tool{color: c.color}).colored(c.to); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
