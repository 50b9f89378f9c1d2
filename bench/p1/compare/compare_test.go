package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"
)

// The comparison runs, on little input: it fails if a program does not end, or if two send different records.
func TestCompare(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs programs: run without -short")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	var out bytes.Buffer
	o := options{rounds: 1, runs: 1, records: 5000, out: &out}
	if err := o.run(ctx); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"allocations a record", "exactly_once_v2", "at_least_once", "encoding/json", "peak RSS MiB"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
}
