package failpoint

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

func TestErrorAtHit(t *testing.T) {
	undo, err := Set("apply.write:2=error,apply.write:3=error")
	if err != nil {
		t.Fatal(err)
	}
	var got []bool
	for range 4 {
		got = append(got, errors.Is(Err("apply.write"), ErrInjected))
	}
	if got[0] || !got[1] || !got[2] || got[3] {
		t.Errorf("failed at %v, want the second and third hit only", got)
	}
	if Err("apply.done") != nil {
		t.Error("another failpoint failed")
	}
	undo()
	if active.Load() != nil {
		t.Error("undo left failpoints active")
	}
}

func TestSetRefuses(t *testing.T) {
	for _, s := range []string{"commit.nothing", "apply.write:0", "apply.write:x", "apply.write=explode"} {
		if _, err := Set(s); err == nil {
			t.Errorf("Set(%q) did not fail", s)
		}
	}
}

// TestKill runs itself as a child that must die by SIGKILL at its second hit.
func TestKill(t *testing.T) {
	if os.Getenv("STREAMGEN_FAILPOINT") != "" {
		Hit("commit.ended")
		os.Stdout.WriteString("alive\n")
		Hit("commit.ended")
		os.Stdout.WriteString("survived\n")
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestKill$")
	cmd.Env = append(os.Environ(), "STREAMGEN_FAILPOINT=commit.ended:2")
	out, err := cmd.Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("ended with %v, want SIGKILL", err)
	}
	if s := string(out); !strings.Contains(s, "alive") || strings.Contains(s, "survived") {
		t.Errorf("output %q", s)
	}
}

func TestInactiveAllocatesNothing(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { Hit("commit.ended") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
