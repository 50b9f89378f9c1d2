// Command compare measures the pair P1: generated code against what a good engineer writes by hand, in turns and on the same
// machine at the same time. It prints medians with the lowest and the highest value.
//
//	go run ./bench/p1/compare                       both pairs; the broker is kfake in a process of its own
//	go run ./bench/p1/compare -only process         without a broker
//	go run ./bench/p1/compare -brokers HOST:PORT    on a real Kafka, where it makes topics and deletes them
//	go run ./bench/p1/compare -kafka                on a real Kafka that it starts (needs Java and Maven)
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

type options struct {
	only    string
	brokers string
	kafka   bool
	rounds  int
	runs    int
	records int
	out     io.Writer
}

func main() {
	o := options{out: os.Stdout}
	flag.StringVar(&o.only, "only", "", "process or broker: one of the two pairs")
	flag.StringVar(&o.brokers, "brokers", "", "addresses of a Kafka cluster, instead of kfake")
	flag.BoolVar(&o.kafka, "kafka", false, "start a real broker, instead of kfake")
	flag.IntVar(&o.rounds, "rounds", 25, "of the pair in one process")
	flag.IntVar(&o.runs, "runs", 5, "of each program over the broker")
	flag.IntVar(&o.records, "records", 1_000_000, "that each program reads from the broker")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := o.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (o *options) run(ctx context.Context) error {
	if o.only != "broker" {
		if err := o.process(ctx); err != nil {
			return err
		}
	}
	if o.only != "process" {
		return o.broker(ctx)
	}
	return nil
}
