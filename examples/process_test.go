package examples_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// built is the directory of the binaries of all examples, which are compiled together when one is first asked for.
var built struct {
	sync.Once
	dir string
	err error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if built.dir != "" {
		os.RemoveAll(built.dir)
	}
	os.Exit(code)
}

// binary is the example's program, compiled as `streamgen build` does, but for the tables for debuggers.
func (e example) binary(t testing.TB) string {
	t.Helper()
	built.Do(func() { built.dir, built.err = compile() })
	if built.err != nil {
		t.Fatal(built.err)
	}
	return filepath.Join(built.dir, e.name)
}

func compile() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "streamgen-examples-"); err != nil {
		return "", err
	}
	args := []string{"build", "-trimpath", "-ldflags=-s -w", "-o", dir}
	for _, e := range examples {
		args = append(args, module+"/generated/"+e.name+"/cmd/"+e.name)
	}
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return dir, fmt.Errorf("go build: %w\n%s", err, out)
	}
	return dir, nil
}

// process is a running binary of an example.
type process struct {
	t    testing.TB
	cmd  *exec.Cmd
	log  bytes.Buffer // to be read after done
	done chan struct{}
	err  error // after done
}

// start starts the program against brokers, with its state in dir.
func (e example) start(t testing.TB, brokers []string, dir string, args ...string) *process {
	t.Helper()
	p := &process{t: t, done: make(chan struct{})}
	p.cmd = exec.Command(e.binary(t), append([]string{
		"--brokers", strings.Join(brokers, ","), "--state-dir", dir, "--http", "off",
		// A killed process is missed soon.
		"--set", "session.timeout.ms=1500", "--set", "heartbeat.interval.ms=100",
	}, args...)...)
	p.cmd.Stderr = &p.log
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.done)
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.done
		if t.Failed() {
			t.Logf("%s in %s:\n%s", e.name, dir, tail(p.log.String(), 60))
		}
	})
	return p
}

// kill ends the process at once. It must have been running.
func (p *process) kill() {
	p.t.Helper()
	select {
	case <-p.done:
		p.t.Fatalf("ended before it was killed: %v", p.err)
	default:
	}
	if err := p.cmd.Process.Kill(); err != nil {
		p.t.Fatal(err)
	}
	<-p.done
}

// drain ends the process in order.
func (p *process) drain() {
	p.t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.t.Fatalf("drain: %v", err)
	}
	select {
	case <-p.done:
		// One that is told to end before it can listen dies of it, and has done nothing yet, not even said that it began.
		if exit, ok := errors.AsType[*exec.ExitError](p.err); ok && p.log.Len() == 0 && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGTERM {
			return
		}
		if p.err != nil {
			p.t.Fatalf("drain: %v", p.err)
		}
	case <-time.After(time.Minute):
		p.t.Fatal("did not drain")
	}
}

// tail is the last lines of a text.
func tail(text string, n int) string {
	list := strings.SplitAfter(text, "\n")
	if left := len(list) - n; left > 0 {
		return fmt.Sprintf("(%d lines)\n%s", left, strings.Join(list[left:], ""))
	}
	return text
}
