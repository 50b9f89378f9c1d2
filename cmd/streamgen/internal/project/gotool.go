package project

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/streamgen/streamgen"
)

// CompileError is what the Go compiler said: about generated code, which is a fault of ours, or about code of the user's that it
// imports.
type CompileError struct {
	Output    string
	Generated bool
}

func (e *CompileError) Error() string {
	what := "the Go code that the program calls"
	if e.Generated {
		what = "the generated code"
	}
	return what + " does not compile:\n" + e.Output
}

// ErrNoGo says that there is no go command.
var ErrNoGo = errors.New("the go command is not in PATH: streamgen compiles with it; see https://go.dev/dl")

// Build compiles the program of an app into a static binary.
func (p *Project) Build(ctx context.Context, app string) error {
	if _, err := exec.LookPath("go"); err != nil {
		return ErrNoGo
	}
	if err := os.MkdirAll(filepath.Dir(p.Binary), 0o755); err != nil {
		return err
	}
	// The binary follows from the source alone; nor should a build fail for what git thinks of a directory.
	args := append([]string{"build", "-trimpath", "-buildvcs=false", "-o", p.Binary}, p.modFlags(ctx)...)
	out, err := p.run(ctx, append(args, p.Command(app))...)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if bytes.HasPrefix(out, []byte("#")) || bytes.Contains(out, []byte(".go:")) {
		return &CompileError{Output: string(bytes.TrimSpace(out)), Generated: p.isGenerated(out)}
	}
	return fmt.Errorf("go build: %w\n%s", err, bytes.TrimSpace(out))
}

// isGenerated says whether compiler output speaks of a file of the generated package, or of none at all.
func (p *Project) isGenerated(output []byte) bool {
	below, err := filepath.Rel(p.Root, p.Out)
	return err != nil || bytes.Contains(output, []byte(below+string(filepath.Separator))) || !bytes.Contains(output, []byte(".go:"))
}

// Resolve adds to go.mod and go.sum what the runtime requires in its turn, for every platform setting that the user's own go
// build and go test may have: with cgo there are more packages than in our binaries.
func (p *Project) Resolve(ctx context.Context, app string) error {
	flags := p.modFlags(ctx)
	if flags == nil {
		return nil // the user's own way with modules
	}
	args := append([]string{"list", "-deps", "-f", "{{.ImportPath}}"}, flags...)
	cmd := p.command(ctx, append(args, p.Command(app), streamgen.Module+"/runtime/...")...)
	cmd.Env = append(cmd.Env, "CGO_ENABLED=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("cannot find what the runtime requires: %w\n%s", err, bytes.TrimSpace(out))
	}
	return nil
}

// modFlags let the go command add to go.mod and go.sum what the runtime requires in its turn, where it may: not in a workspace,
// not with a vendor directory, and not against the user's own -mod.
func (p *Project) modFlags(ctx context.Context) []string {
	if p.own() || isFile(filepath.Join(p.Root, "vendor", "modules.txt")) {
		return nil
	}
	out, err := p.run(ctx, "env", "GOWORK", "GOFLAGS")
	if err != nil {
		return nil
	}
	work, flags, _ := strings.Cut(string(out), "\n")
	if work != "" && work != "off" || strings.Contains(flags, "-mod=") {
		return nil
	}
	return []string{"-mod=mod"}
}

// run calls the go command in the module and returns what it wrote.
func (p *Project) run(ctx context.Context, args ...string) ([]byte, error) {
	return p.command(ctx, args...).CombinedOutput()
}

func (p *Project) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = p.Root
	cmd.Env = p.Environ()
	return cmd
}

// Environ is the environment for calls of the go command.
func (p *Project) Environ() []string {
	env := append(os.Environ(), "CGO_ENABLED=0")
	if p.own() {
		return env
	}
	// No public database knows the checksum of a development build of the runtime.
	sums := streamgen.Module
	if out, err := exec.Command("go", "env", "GONOSUMDB").Output(); err == nil {
		if v := strings.TrimSpace(string(out)); v != "" {
			sums = v + "," + sums
		}
	}
	return append(env, "GONOSUMDB="+sums)
}
