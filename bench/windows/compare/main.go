// Command compare measures the families of state: generated code against the same by hand, in turns, in one process, state in
// Pebble and changelog included. It prints medians with the lowest and the highest value.
//
//	CGO_ENABLED=0 go run ./bench/windows/compare
//	CGO_ENABLED=0 go run ./bench/windows/compare -only sessions -rounds 9
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/streamgen/streamgen/bench/figures"
	"github.com/streamgen/streamgen/bench/windows/pair"
)

type options struct {
	only            string
	rounds, batches int
	memory          int64
	fill            int           // batches of a table; 0: what the family says
	quiet           time.Duration // without work in the background, before what is measured begins, and before it ends; 0: it is not waited for
	out             io.Writer
}

func main() {
	o := options{out: os.Stdout, quiet: 300 * time.Millisecond}
	flag.StringVar(&o.only, "only", "", "one family")
	flag.IntVar(&o.rounds, "rounds", 5, "of each side")
	flag.IntVar(&o.batches, "batches", 300, "of 1024 records in a round")
	flag.Int64Var(&o.memory, "memory", 256<<20, "budget of the generated side in bytes, unless the family says it")
	flag.Parse()
	if err := o.run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (o *options) run() error {
	rows := [][]string{{"family", "generated, CPU ns a record", "by hand", "generated / by hand", "allocations a record", "results"}}
	for _, f := range pair.Families {
		if o.only != "" && o.only != f.Name {
			continue
		}
		if f.Fill > 0 && o.fill > 0 {
			f.Fill = o.fill
		}
		row, err := o.family(f)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		rows = append(rows, row)
	}
	fmt.Fprintf(o.out, "State in one process, %d rounds of %d records a side, %d MiB\n\n", o.rounds, o.batches*pair.BatchSize, o.memory>>20)
	figures.Table(o.out, rows)
	return nil
}

// family measures both sides of a family. A round begins with empty state; half of it, or the table, or what the family says,
// fills the state and does not count. Nor does what Pebble still has to do for it then, in the background; what it has to do for the
// half that is measured counts.
func (o *options) family(f pair.Family) ([]string, error) {
	dir, err := os.MkdirTemp("", "streamgen-windows-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var cpu, allocs [2]figures.Figures
	var results uint64
	for round := range o.rounds {
		for n := range 2 {
			side := (round + n) % 2 // nobody always follows the other
			at := filepath.Join(dir, strconv.Itoa(round))
			var s *pair.Side
			if side == 0 {
				s, err = pair.Generated(f, at, cmp.Or(f.Memory, o.memory))
			} else {
				s, err = pair.Hand(f, at)
			}
			if err != nil {
				return nil, err
			}
			events := pair.NewEvents(f)
			if err := turn(s, events, cmp.Or(f.Fill, f.Warm, o.batches)); err != nil {
				return nil, err
			}
			if err := s.Settle(); err != nil {
				return nil, err
			}
			runtime.GC()
			o.rest()
			used := figures.Now()
			if err := turn(s, events, o.batches); err != nil {
				return nil, err
			}
			o.rest()
			used = used.Since()
			if err := s.Close(); err != nil {
				return nil, err
			}
			records := float64(o.batches * pair.BatchSize)
			cpu[side] = append(cpu[side], float64(used.CPU.Nanoseconds())/records)
			allocs[side] = append(allocs[side], float64(used.Allocs)/records)
			results = s.Sums.Results
		}
	}
	return []string{f.Name, cpu[0].Text("%.0f"), cpu[1].Text("%.0f"), cpu[0].Over(cpu[1]).Text("%.2f"), fmt.Sprintf("%.2f", allocs[0].Median()),
		strconv.FormatUint(results, 10)}, nil
}

// rest waits until nothing works in the background any more: all that the process uses is less than a hundredth of a core.
func (o *options) rest() {
	for began, used := time.Now(), figures.Now(); o.quiet > 0 && time.Since(began) < o.quiet; {
		time.Sleep(o.quiet / 10)
		if used.Since().CPU > o.quiet/100 {
			began, used = time.Now(), figures.Now()
		}
	}
}

func turn(s *pair.Side, events *pair.Events, batches int) error {
	for range batches {
		if err := s.Batch(events.Next()); err != nil {
			return err
		}
	}
	return nil
}
