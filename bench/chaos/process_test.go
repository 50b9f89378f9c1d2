package chaos

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

const module = "github.com/streamgen/streamgen"

// programs are the binaries, compiled once a run of the tests.
var programs struct {
	once sync.Once
	dir  string
	err  error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if programs.dir != "" {
		os.RemoveAll(programs.dir)
	}
	os.Exit(code)
}

// program is the path of a binary.
func program(t testing.TB, name string) string {
	t.Helper()
	programs.once.Do(func() {
		if programs.dir, programs.err = os.MkdirTemp("", "streamgen-chaos-"); programs.err != nil {
			return
		}
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", programs.dir+"/", module+"/generated/order-enrichment/cmd/order-enrichment",
			module+"/bench/chaos/atleastonce")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			programs.err = fmt.Errorf("go build: %w\n%s", err, out)
		}
	})
	if programs.err != nil {
		t.Fatal(programs.err)
	}
	return filepath.Join(programs.dir, name)
}

// instance is one of the processes: it keeps its state directory over all its lives.
type instance struct {
	t       testing.TB
	binary  string
	brokers []string
	name    string
	dir     string
	lives   int
	expiry  *expiry // nil: the broker ends sessions itself

	cmd  *exec.Cmd
	log  *bytes.Buffer // of this life, to be read after done
	done chan struct{}
	err  error // after done
}

func newInstance(t testing.TB, binary string, brokers []string, name string, e *expiry) *instance {
	p := &instance{t: t, binary: binary, brokers: brokers, name: name, dir: t.TempDir(), expiry: e}
	p.start()
	t.Cleanup(func() {
		end := syscall.SIGKILL
		if t.Failed() {
			end = syscall.SIGQUIT // with its goroutines
		}
		_ = p.cmd.Process.Signal(end)
		<-p.done
		if t.Failed() {
			p.keepLog()
		}
	})
	return p
}

// keepLog keeps what the process said in its last life, with its goroutines, for whoever looks into a failure.
func (p *instance) keepLog() {
	f, err := os.CreateTemp("", "streamgen-chaos-*.log")
	if err == nil {
		_, err = f.Write(p.log.Bytes())
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		p.t.Error(err)
		return
	}
	p.t.Logf("%s, life %d (more in %s):\n%s", p.name, p.lives, f.Name(), head(p.log.String(), 60))
}

// start begins the next life.
func (p *instance) start() {
	p.t.Helper()
	p.lives++
	cmd := exec.Command(p.binary, "--brokers", strings.Join(p.brokers, ","), "--state-dir", p.dir, "--http", "off",
		"--commit-interval", "30ms", "--workers", "2", "--memory", "32MiB", "--client-id", p.client(),
		"--set", "fetch.max.wait.ms=100",
		// What is killed or stopped is missed soon. kfake does not answer the SyncGroup of a member that waits longer than its
		// session, because the leader was killed, and miscounts who has joined: until the rebalance timeout nothing goes on.
		"--set", fmt.Sprintf("session.timeout.ms=%d", sessionTimeout.Milliseconds()), "--set", "heartbeat.interval.ms=100", "--set", "rebalance.timeout.ms=2500")
	p.cmd, p.log, p.done = cmd, &bytes.Buffer{}, make(chan struct{})
	cmd.Stderr = p.log
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	done := p.done
	go func() {
		p.err = cmd.Wait()
		close(done)
	}()
}

// alive fails the test if the process has ended by itself.
func (p *instance) alive() {
	p.t.Helper()
	select {
	case <-p.done:
		p.t.Fatalf("%s ended by itself in life %d: %v", p.name, p.lives, p.err)
	default:
	}
}

func (p *instance) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatalf("%s: %v", p.name, err)
	}
}

// kill ends the process at once.
func (p *instance) kill() {
	p.t.Helper()
	p.alive()
	p.signal(syscall.SIGKILL)
	<-p.done
	p.expiry.killed(p.client())
}

// client is the client id of this life.
func (p *instance) client() string {
	return fmt.Sprintf("%s-life-%d", strings.ReplaceAll(p.name, " ", "-"), p.lives)
}

// drain ends the process in order.
func (p *instance) drain() {
	p.t.Helper()
	p.alive()
	p.signal(syscall.SIGTERM)
	select {
	case <-p.done:
		if p.err != nil {
			p.t.Fatalf("%s: drain: %v", p.name, p.err)
		}
	case <-time.After(time.Minute):
		p.t.Fatalf("%s did not drain", p.name)
	}
}

// head is the first lines of a text.
func head(text string, n int) string {
	list := strings.SplitAfter(text, "\n")
	return strings.Join(list[:min(n, len(list))], "")
}
