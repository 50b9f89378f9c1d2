package task

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/streamgen/streamgen/runtime/record"
)

// records makes records of input i with these timestamps, at offsets from 0, and in the gaps nothing.
func records(i uint16, first int64, timestamps ...int64) []record.Record {
	var list []record.Record
	for n, ts := range timestamps {
		list = append(list, record.Record{Timestamp: ts, Offset: first + int64(n), Input: i, Source: uint8(i)})
	}
	return list
}

// filled is what Fill gives: input:timestamp.
func filled(in *Inputs, n int, now int64) string {
	var b record.Batch
	in.Fill(&b, n, now)
	var out []string
	for _, r := range b.Records {
		out = append(out, fmt.Sprintf("%d:%d", r.Input, r.Timestamp))
	}
	return strings.Join(out, " ")
}

// J27: of what is there, the record with the lowest time is next, in whatever order topics were fetched.
func TestInputsMergeByTime(t *testing.T) {
	in := newInputs([]Input{{Source: 0}, {Source: 1}})
	in.Append(0, records(0, 0, 10, 20, 20, 30), 400, 4, 1)
	in.Append(1, records(1, 0, 5, 20, 25), 300, 3, 1)
	if got, want := filled(&in, 100, 2), "1:5 0:10 0:20 0:20 1:20 1:25"; got != want {
		t.Errorf("got %s, want %s: ties go by source, and the last waits for what input 1 may still bring", got, want)
	}
	in.SetEnd(1, 3, 0)
	if got := filled(&in, 100, 2); got != "" {
		t.Errorf("got %s on an end that was asked for before the record came", got)
	}
	if got := fmt.Sprint(in.Unknown(nil, 0)); got != "[1]" {
		t.Errorf("the ends of %s are unknown, want [1]", got)
	}
	in.SetEnd(1, 4, 1)
	if got := filled(&in, 100, 2); got != "" {
		t.Errorf("got %s while input 1 is behind its end", got)
	}
	in.Append(1, nil, 0, 4, 2) // the marker that ends it
	if got := filled(&in, 100, 3); got != "0:30" {
		t.Errorf("got %s, want 0:30", got)
	}
	if in.Size() != 0 || in.list[0].next != 4 || in.list[1].next != 4 {
		t.Errorf("size %d, positions %d and %d", in.Size(), in.list[0].next, in.list[1].next)
	}
}

// TestInputsMergeByEventTime: of records that have one of their own. One without goes right behind those before it.
func TestInputsMergeByEventTime(t *testing.T) {
	in := newInputs([]Input{{Source: 0, EventTime: func(r *record.Record) int64 { return int64(len(r.Value)) - 1 }}, {Source: 1}})
	list := records(0, 0, 900, 901, 902, 903, 904)
	for i, at := range []int{10, 30, -1, 20, 40} {
		list[i].Value = make([]byte, at+1)
	}
	in.Append(0, list, 500, 5, 1)
	in.Append(1, records(1, 0, 5, 10, 20, 30, 35, 50), 600, 6, 1)
	if got, want := filled(&in, 100, 2), "1:5 0:900 1:10 1:20 0:901 0:902 0:903 1:30 1:35 0:904"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	in.Append(0, records(0, 5, 900), 100, 6, 3)
	if got := filled(&in, 100, 4); got != "0:900" {
		t.Errorf("got %s, want 0:900", got)
	}
}

// TestInputsKeepTheOrderOfAnInput: timestamps of one input that go back do not change its order.
func TestInputsKeepTheOrderOfAnInput(t *testing.T) {
	in := newInputs([]Input{{Source: 0}, {Source: 1}})
	in.Append(0, records(0, 0, 30, 10, 20), 300, 3, 1)
	in.Append(1, records(1, 0, 15), 100, 1, 1)
	in.SetEnd(0, 3, 2)
	in.SetEnd(1, 1, 2)
	if got, want := filled(&in, 100, 2), "1:15 0:30 0:10 0:20"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestInputsWaitWhenIdle(t *testing.T) {
	in := newInputs([]Input{{Source: 0}, {Source: 1}})
	in.MaxIdle = 100
	in.Append(0, records(0, 0, 1, 2), 200, 2, 1)
	in.SetEnd(1, 0, 1)
	if got := filled(&in, 100, 1000); got != "" {
		t.Errorf("got %s before the other input was waited for", got)
	}
	if got := filled(&in, 100, 1099); got != "" {
		t.Errorf("got %s too early", got)
	}
	if got := filled(&in, 100, 1100); got != "0:1 0:2" {
		t.Errorf("got %s", got)
	}
}

func TestInputsReadTablesFirst(t *testing.T) {
	list := []Input{{Source: 0}, {Source: 1, Table: true, Target: 2}}
	in := newInputs(list)
	in.Append(0, records(0, 0, 1), 100, 1, 1)
	in.Append(1, records(1, 0, 50), 100, 1, 1)
	if got := filled(&in, 100, 2); got != "1:50" {
		t.Errorf("got %s, want the table", got)
	}
	if !in.held(&in.list[0]) {
		t.Error("the position of the stream may be committed while the table is not complete")
	}
	in.Append(1, records(1, 1, 60), 100, 2, 3)
	in.SetEnd(1, 2, 5)
	if got := filled(&in, 100, 6); got != "1:60 0:1" {
		t.Errorf("got %s, want the rest of the table, then the stream", got)
	}
	if in.held(&in.list[0]) {
		t.Error("the position of the stream is held back for ever")
	}

	// After an abort the table is read again.
	in.rewind([]int64{0, 1})
	if in.waiting != 1 || in.Size() != 0 {
		t.Errorf("waits for %d tables, holds %d bytes", in.waiting, in.Size())
	}
}

// TestInputsMergeRuns: runs that are processed where they lie and runs that are copied give one order, the one that the smallest
// steps give, and what a batch holds stays as it is until the next one.
func TestInputsMergeRuns(t *testing.T) {
	run := func(n int) string {
		in := newInputs([]Input{{Source: 0}, {Source: 1}})
		random := rand.New(rand.NewPCG(1, 2))
		next := [2]int64{}
		time := int64(0)
		var out []string
		for range 50 {
			for i := range next {
				var list []record.Record
				for range random.IntN(4 * longRun) {
					if random.IntN(2*longRun) == 0 {
						time++ // the runs of the other input end here
					}
					list = append(list, record.Record{Timestamp: time, Offset: next[i], Input: uint16(i), Value: []byte{byte(next[i])}})
					next[i]++
				}
				in.Append(uint16(i), list, len(list), next[i], 1)
				in.SetEnd(uint16(i), next[i], 1)
			}
			for {
				var b record.Batch
				in.Fill(&b, n, 2)
				if len(b.Records) == 0 {
					break
				}
				for _, r := range b.Records {
					if r.Value[0] != byte(r.Offset) {
						t.Fatalf("offset %d of input %d has the value of %d", r.Offset, r.Input, r.Value[0])
					}
					out = append(out, fmt.Sprint(r.Input, r.Offset))
				}
			}
		}
		return strings.Join(out, ",")
	}
	want := run(1)
	for _, n := range []int{longRun - 1, longRun, 3 * longRun, 1000} {
		if run(n) != want {
			t.Errorf("batches of %d records have another order", n)
		}
	}
}
