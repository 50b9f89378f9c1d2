// Package cli is the streamgen command: its flags, what it prints and its exit codes. It compiles through packages spec and
// codegen; what only the command needs lies beside it.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// The exit codes.
const (
	exitOK       = 0
	exitFailed   = 1  // diagnostics, or the work could not be done
	exitStale    = 2  // with --check: files are not what they would be
	exitUsage    = 64 // the command line is wrong
	exitInternal = 70 // a fault of streamgen
)

// tool is one run of the command. Standard output is data, standard error is talk.
type tool struct {
	in       io.Reader
	out, err io.Writer
	color    string // auto, always, never
	dir      string
}

// exit ends a command with a code. What there is to say was said.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// usageError is a wrong command line.
type usageError struct{ error }

// internalError is a fault of streamgen.
type internalError struct{ error }

// Main runs the command and returns its exit code.
func Main(args []string, in io.Reader, out, stderr io.Writer) int {
	t := &tool{in: in, out: out, err: stderr}
	return t.guard(func() error {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		context.AfterFunc(ctx, stop) // a second signal ends the process at once
		root := t.root()
		root.SetArgs(args)
		return root.ExecuteContext(ctx)
	})
}

// guard turns errors into exit codes, and panics into a report of a fault.
func (t *tool) guard(run func() error) (code int) {
	defer func() {
		if fault := recover(); fault != nil {
			fmt.Fprintf(t.err, "streamgen: internal fault: %v\n\n%s\n%s", fault, debug.Stack(), report)
			code = exitInternal
		}
	}()
	return t.code(run())
}

const report = "This is a fault of streamgen, not of your spec. Please report it with the spec that causes it.\n"

// code says what is left to say of an error and gives its exit code.
func (t *tool) code(err error) int {
	var code exit
	var usage usageError
	var internal internalError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &usage):
		fmt.Fprintf(t.err, "streamgen: %v\n", err)
		return exitUsage
	case errors.As(err, &internal):
		fmt.Fprintf(t.err, "streamgen: %v\n%s", err, report)
		return exitInternal
	default:
		fmt.Fprintf(t.err, "streamgen: %v\n", err)
		return exitFailed
	}
}

func (t *tool) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "streamgen",
		Short: "Compile topologies written in HCL to Go programs on Kafka",
		Long: `streamgen compiles a topology (app.hcl) to a Go package made for exactly that
topology, and to one static binary that does its work on Kafka.

Standard output is data, standard error is talk.

Exit codes:
  0   done
  1   errors in the spec, or the work could not be done
  2   with --check: files are not what they would be
  64  the command line is wrong
  70  a fault of streamgen`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return t.unknown(c, args[0])
			}
			return c.Help()
		},
		PersistentPreRunE: func(c *cobra.Command, _ []string) error { return t.prepare() },
	}
	root.SetIn(t.in)
	root.SetOut(t.out)
	root.SetErr(t.err)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%w\nhint: streamgen help %s", err, c.Name())}
	})
	root.PersistentFlags().StringVarP(&t.dir, "chdir", "C", "", "work in this `directory`")
	root.PersistentFlags().StringVar(&t.color, "color", "auto", "colours: `when` is auto, always or never")
	root.SuggestionsMinimumDistance = 2
	root.CompletionOptions.HiddenDefaultCmd = false
	root.AddCommand(t.check(), t.build(), t.plan(), t.fmt(), t.explain(), t.functions(), t.run(), t.verify(), t.test(), t.init(), t.version())
	for _, c := range root.Commands() {
		checked(c)
	}
	return root
}

// checked makes complaints about arguments usage errors.
func checked(c *cobra.Command) {
	inner := c.Args
	if inner == nil {
		return
	}
	c.Args = func(c *cobra.Command, args []string) error {
		if err := inner(c, args); err != nil {
			return usageError{fmt.Errorf("%w\nhint: streamgen help %s", err, c.Name())}
		}
		return nil
	}
}

func (t *tool) unknown(c *cobra.Command, name string) error {
	hint := "streamgen help lists the commands"
	if s := c.SuggestionsFor(name); len(s) > 0 {
		hint = "did you mean " + s[0] + "?"
	}
	return usageError{fmt.Errorf("there is no command %q\nhint: %s", name, hint)}
}

// prepare does what the global flags say.
func (t *tool) prepare() error {
	switch t.color {
	case "auto", "always", "never":
	default:
		return usageError{fmt.Errorf("--color is auto, always or never, not %q", t.color)}
	}
	if t.dir != "" {
		if err := os.Chdir(t.dir); err != nil {
			return usageError{err}
		}
	}
	return nil
}

// colored tells whether to write colours to w.
func (t *tool) colored(w io.Writer) bool {
	switch t.color {
	case "always":
		return true
	case "never":
		return false
	}
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(w)
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// say writes talk.
func (t *tool) say(format string, args ...any) { fmt.Fprintf(t.err, format+"\n", args...) }
