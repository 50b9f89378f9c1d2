// Package failpoint makes the process fail at a named step of commit, apply, restore or revocation, so that tests can prove
// that failing there loses and doubles nothing.
//
// The environment says where, when the process starts:
//
//	STREAMGEN_FAILPOINT=commit.ended          dies as by kill -9 at the first hit
//	STREAMGEN_FAILPOINT=commit.ended:7        at the seventh
//	STREAMGEN_FAILPOINT=apply.write=error     fails there, each time
//	STREAMGEN_FAILPOINT=apply.write:3=error   the third time only
//	STREAMGEN_FAILPOINT=commit.flushed=sleep  sleeps a second
//
// A process that dies says so, and when (nanoseconds since the Unix epoch), on standard error: "failpoint commit.ended at
// 1700000000000000000". Several are separated by commas. Without the variable a hit is one load and one comparison.
package failpoint

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// Names are the failpoints, in the order of the protocol's steps.
var Names = []string{
	"commit.flushed",   // 1: coalesced updates are sent
	"commit.frozen",    // 3: the epoch is encoded
	"commit.begun",     // 5: a transaction is open
	"commit.produced",  // 6: outputs and changelog records are acknowledged
	"commit.offsets",   // 7: the offsets are part of the transaction
	"commit.end",       // 8: before the transaction ends; may fail with the outcome unknown
	"commit.ended",     // 8: the transaction has ended, nothing is applied
	"commit.unknown",   // 8: a producer was made anew to learn an outcome
	"commit.plain",     // 9: offsets without a transaction are committed
	"commit.aborted",   // a transaction was aborted
	"apply.task",       // 10: before a task's batch
	"apply.write",      // 10: the batch; may fail
	"apply.done",       // 10: after a task's batch
	"restore.opened",   // the task's database is open
	"restore.marked",   // the marker is in the changelogs
	"restore.batch",    // a batch of rows was applied
	"restore.done",     // all markers were read back
	"revoke.committed", // the last epoch of revoked tasks is committed
	"revoke.closed",    // revoked tasks are closed
	"drain.committed",  // all tasks are committed and closed
	"drain.closed",     // the workers have ended, the group is not left yet
}

// ErrInjected is what Err returns.
var ErrInjected = errors.New("injected failure")

type point struct {
	name   string
	at     int64 // hit to act at; 0: each
	action string
	hits   atomic.Int64
}

var active atomic.Pointer[[]*point]

func init() {
	if s := os.Getenv("STREAMGEN_FAILPOINT"); s != "" {
		if _, err := Set(s); err != nil {
			fmt.Fprintln(os.Stderr, "STREAMGEN_FAILPOINT:", err)
			os.Exit(64)
		}
	}
}

// Set activates failpoints, written as in the environment, in place of those that were active; undo brings those back.
func Set(spec string) (undo func(), err error) {
	var points []*point
	for s := range strings.SplitSeq(spec, ",") {
		p := &point{action: "kill"}
		name, action, found := strings.Cut(strings.TrimSpace(s), "=")
		if found {
			p.action = action
		}
		name, n, counted := strings.Cut(name, ":")
		p.name = name
		switch {
		case counted:
			if p.at, err = strconv.ParseInt(n, 10, 64); err != nil || p.at < 1 {
				return nil, fmt.Errorf("%s: the hit to act at is %q, not a number from 1", name, n)
			}
		case p.action == "kill":
			p.at = 1
		}
		if !slices.Contains(Names, name) {
			return nil, fmt.Errorf("no failpoint is called %q", name)
		}
		if p.action != "kill" && p.action != "error" && p.action != "sleep" {
			return nil, fmt.Errorf("%s: an action is kill, error or sleep, not %q", name, p.action)
		}
		points = append(points, p)
	}
	old := active.Swap(&points)
	return func() { active.Store(old) }, nil
}

// Hit is a step at which the process may die or be slow.
func Hit(name string) {
	if active.Load() != nil {
		_ = act(name)
	}
}

// Err is a step that may fail, too: Hit with an error.
func Err(name string) error {
	if active.Load() == nil {
		return nil
	}
	return act(name)
}

func act(name string) error {
	var due *point
	for _, p := range *active.Load() {
		if p.name != name {
			continue
		}
		if n := p.hits.Add(1); due == nil && (p.at == 0 || n == p.at) {
			due = p
		}
	}
	if due == nil {
		return nil
	}
	switch due.action {
	case "kill":
		fmt.Fprintf(os.Stderr, "failpoint %s at %d\n", name, time.Now().UnixNano())
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // the signal is on its way
	case "sleep":
		time.Sleep(time.Second)
	case "error":
		return fmt.Errorf("%s: %w", name, ErrInjected)
	}
	return nil
}
