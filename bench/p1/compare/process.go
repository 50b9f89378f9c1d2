package main

import (
	"context"
	"fmt"
	"runtime"

	"github.com/streamgen/streamgen/bench/figures"
	"github.com/streamgen/streamgen/bench/p1/orders"
	"github.com/streamgen/streamgen/bench/p1/pair"
)

const (
	turnBatches = 64  // in one turn of a side
	inputs      = 64  // batches of different orders: of a few, processors learn by heart how each of them goes on
	warmUp      = 128 // batches of each side before it counts
	lead        = 16  // batches of a turn that do not count: caches are full of what the side before did
)

// process compares the sides without a broker.
func (o *options) process(ctx context.Context) error {
	sides, err := pair.Sides(orders.Make(inputs * pair.BatchSize))
	if err != nil {
		return err
	}
	cpu, allocs := make([]figures.Figures, len(sides)), make([]figures.Figures, len(sides))
	for _, s := range sides {
		if err := turn(s, warmUp); err != nil {
			return err
		}
	}
	for round := range o.rounds {
		for n := range sides {
			i := (round + n) % len(sides) // nobody always follows the same one
			s := sides[i]
			if err := ctx.Err(); err != nil {
				return err
			}
			runtime.GC() // nobody pays for what others left
			if err := turn(s, lead); err != nil {
				return err
			}
			used := figures.Now()
			if err := turn(s, turnBatches); err != nil {
				return err
			}
			used = used.Since()
			cpu[i] = append(cpu[i], float64(used.CPU.Nanoseconds())/(turnBatches*pair.BatchSize))
			allocs[i] = append(allocs[i], float64(used.Allocs)/(turnBatches*pair.BatchSize))
		}
	}
	fmt.Fprintf(o.out, "P1 in one process: orders of %d bytes, batches of %d records, %d rounds of %d records a side\n\n",
		orders.Size, pair.BatchSize, o.rounds, turnBatches*pair.BatchSize)
	rows := [][]string{{"side", "CPU ns a record", "allocations a record", "generated / side"}}
	for i, s := range sides {
		rows = append(rows, []string{s.Name, cpu[i].Text("%.0f"), fmt.Sprintf("%.2f", allocs[i].Median()), cpu[0].Over(cpu[i]).Text("%.2f")})
	}
	figures.Table(o.out, rows)
	return nil
}

func turn(s *pair.Side, batches int) error {
	for n := range batches {
		if err := s.Batch(n); err != nil {
			return err
		}
	}
	return nil
}
