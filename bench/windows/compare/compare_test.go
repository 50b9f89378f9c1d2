package main

import (
	"bytes"
	"strings"
	"testing"
)

// The comparison runs, on little input.
func TestCompare(t *testing.T) {
	var out bytes.Buffer
	o := options{rounds: 1, batches: 4, memory: 64 << 20, fill: 4, out: &out}
	if err := o.run(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"count", "tumbling", "hopping", "sessions", "streams", "table", "global", "foreign-cold", "generated / by hand"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
}
