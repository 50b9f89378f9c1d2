package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/streamgen/streamgen/bench/figures"
	"github.com/streamgen/streamgen/bench/p1/orders"
)

const (
	partitions     = 4
	commitInterval = 100 * time.Millisecond
)

// contestant is a program over the broker.
type contestant struct {
	name, command string
	args          func(run) []string
}

// run is one run of a contestant.
type run struct {
	brokers, app, in, out, guarantee, state string
}

func (r run) flags() []string {
	return []string{"-app", r.app, "-in", r.in, "-out", r.out, "-guarantee", r.guarantee}
}

func byHand(json string) func(run) []string {
	return func(r run) []string {
		return append(r.flags(), "-brokers", r.brokers, "-commit-interval", commitInterval.String(), "-json", json)
	}
}

// contestants are the programs. Both sides produce without compression, linger 5 ms and commit at the same interval.
var contestants = []contestant{
	{"generated", "generated", func(r run) []string {
		return append(r.flags(), "--", "--brokers", r.brokers, "--commit-interval", commitInterval.String(), "--state-dir", r.state,
			"--set", "compression.type=none", "--log-level", "warn", "--http", "off")
	}},
	{"hand-written, own scanner", "hand", byHand("scanner")},
	{"hand-written, encoding/json", "hand", byHand("encoding/json")},
}

var guarantees = []string{"exactly_once_v2", "at_least_once"}

// result is what a run of a contestant came to.
type result struct {
	cpu, broker, seconds, rss figures.Figures // CPU seconds a million records; MiB
}

// broker compares the programs over a broker.
func (o *options) broker(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "streamgen-p1-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	for _, pkg := range []string{"bench/kfake", "bench/p1/cmd/generated", "bench/p1/cmd/hand"} {
		build := exec.CommandContext(ctx, "go", "build", "-o", filepath.Join(dir, filepath.Base(pkg)), "github.com/streamgen/streamgen/"+pkg)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", pkg, err, out)
		}
	}
	c, err := o.connect(ctx, dir)
	if err != nil {
		return err
	}
	defer c.close()
	name := fmt.Sprintf("p1-%d", time.Now().UnixNano())
	in := name + "-orders"
	if err := c.create(ctx, in); err != nil {
		return err
	}
	defer c.remove(in)
	if err := c.feed(ctx, in, o.records); err != nil {
		return err
	}
	results := map[string][]*result{}
	for _, g := range guarantees {
		for range contestants {
			results[g] = append(results[g], &result{})
		}
	}
	want := digest{}
	for n := range o.runs {
		for _, g := range guarantees {
			for i, p := range contestants {
				r := run{brokers: c.address, app: fmt.Sprintf("%s-%d-%d-%s", name, n, i, g), in: in, guarantee: g, state: filepath.Join(dir, "state")}
				r.out = r.app + "-paid"
				got, err := c.measure(ctx, o.records, filepath.Join(dir, p.command), p.args(r), r, results[g][i])
				if err != nil {
					return fmt.Errorf("%s, %s: %w", p.name, g, err)
				}
				if want == (digest{}) {
					want = got
				}
				if got != want {
					return fmt.Errorf("%s, %s: sent %d records, another one %d, or others", p.name, g, got.records, want.records)
				}
				fmt.Fprintf(os.Stderr, "run %d of %d: %s, %s\n", n+1, o.runs, p.name, g)
			}
		}
	}
	fmt.Fprintf(o.out, "P1 over %s: %d orders of %d bytes in %d partitions, %d runs each, commit each %s, no compression\n\n",
		c.kind, o.records, orders.Size, partitions, o.runs, commitInterval)
	for _, g := range guarantees {
		rows := [][]string{{g, "CPU s / million", "generated / it", "seconds", "peak RSS MiB", "broker CPU s / million"}}
		for i, p := range contestants {
			r := results[g][i]
			broker := "not known"
			if c.pid != 0 {
				broker = r.broker.Text("%.2f")
			}
			rows = append(rows, []string{p.name, r.cpu.Text("%.2f"), results[g][0].cpu.Over(r.cpu).Text("%.2f"), r.seconds.Text("%.1f"),
				r.rss.Text("%.0f"), broker})
		}
		figures.Table(o.out, rows)
	}
	return nil
}
