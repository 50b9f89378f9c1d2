// Command hand runs the hand-written program of the pair P1.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/streamgen/streamgen/bench/p1/hand"
)

func main() {
	steps := map[string]hand.Step{"scanner": hand.Scan, "reader": hand.Read, "encoding/json": hand.Standard}
	brokers := flag.String("brokers", "", "addresses of brokers")
	group := flag.String("app", "p1-hand", "consumer group and transactional id")
	in := flag.String("in", "orders", "topic that is read")
	out := flag.String("out", "paid-orders", "topic that is written")
	guarantee := flag.String("guarantee", "exactly_once_v2", "exactly_once_v2 or at_least_once")
	interval := flag.Duration("commit-interval", 100*time.Millisecond, "between two commits")
	step := flag.String("json", "scanner", "scanner, reader or encoding/json")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	if steps[*step] == nil {
		fmt.Fprintf(os.Stderr, "there is no -json %s\n", *step)
		os.Exit(2)
	}
	err := hand.Run(ctx, hand.Config{
		Brokers: strings.Split(*brokers, ","), Group: *group, In: *in, Out: *out,
		ExactlyOnce: *guarantee == "exactly_once_v2", Interval: *interval, Step: steps[*step],
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
