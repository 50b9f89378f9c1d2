// Command atleastonce is the program of examples/order-enrichment with the other guarantee, which its spec does not choose.
package main

import (
	orderenrichment "github.com/streamgen/streamgen/generated/order-enrichment"
	"github.com/streamgen/streamgen/runtime"
)

func main() {
	t := orderenrichment.Topology()
	t.Guarantee = runtime.AtLeastOnce
	runtime.Main(t)
}
