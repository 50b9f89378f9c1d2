// Command generated runs the generated program of the pair P1 as its own command does, but under a name, with topics and with a
// guarantee that are given. What stands behind -- are the program's own arguments.
package main

import (
	"flag"
	"os"

	"github.com/streamgen/streamgen/generated/p1"
	"github.com/streamgen/streamgen/runtime"
)

func main() {
	t := p1.Topology()
	flag.StringVar(&t.App, "app", t.App, "name of the program")
	for i := range t.Topics {
		topic := &t.Topics[i]
		switch topic.Kind {
		case runtime.Input:
			flag.StringVar(&topic.Name, "in", topic.Name, "topic that is read")
		case runtime.Output:
			flag.StringVar(&topic.Name, "out", topic.Name, "topic that is written")
		}
	}
	guarantee := flag.String("guarantee", "exactly_once_v2", "exactly_once_v2 or at_least_once")
	flag.Parse()
	if *guarantee == "at_least_once" {
		t.Guarantee = runtime.AtLeastOnce
	}
	os.Args = append(os.Args[:1], flag.Args()...)
	runtime.Main(t)
}
