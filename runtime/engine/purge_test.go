package engine

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamgen/streamgen/internal/kafkatest"
	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/state"
	"github.com/streamgen/streamgen/runtime/task"
	"github.com/streamgen/streamgen/runtime/topology"
)

// perWindow counts the records of a key in windows of 10 ms, whose rows live for 100.
type perWindow struct {
	counts *state.Windowed[int64]
	out    record.Topic
}

func (s *perWindow) Process(b *record.Batch) error {
	for i := range b.Records {
		r := &b.Records[i]
		s.counts.Advance(0, r.Timestamp)
		row, _, err := s.counts.UpdateAt(r.Timestamp/10*10, r.Key)
		if err != nil {
			return err
		}
		row.Value++
		s.out.Send(r.Key, s.out.Keep(strconv.AppendInt(s.out.Tail(), row.Value, 10)), r.Timestamp, nil)
	}
	return nil
}

func (s *perWindow) Flush() error { return nil }

func perWindowProgram() *topology.Topology {
	return &topology.Topology{
		App: "windows", Guarantee: topology.ExactlyOnce, CommitInterval: 10 * time.Millisecond,
		Topics: []topology.Topic{{Name: "orders", Kind: topology.Input}, {Name: "counts", Kind: topology.Output}},
		SubTopologies: []topology.SubTopology{{
			Name:    "counts",
			Sources: []topology.Source{{Name: "stream.orders", Topics: []uint16{0}, Start: topology.Earliest}},
			Stores:  []topology.Store{{Name: "windows", ID: 0, Changelog: "windows-windows-changelog", Fingerprint: "int64", Kind: topology.WindowStore}},
			New: func(t *task.Task) (task.SubTopology, error) {
				return &perWindow{out: t.Topic(1), counts: state.NewWindowed(t.Stores, 0, state.Codec[int64]{
					Append: func(dst []byte, v *int64) []byte { return binary.BigEndian.AppendUint64(dst, uint64(*v)) },
					Read:   func(src []byte, v *int64) error { *v = int64(binary.BigEndian.Uint64(src)); return nil },
				}, state.WindowedOptions{Size: 10, Retention: 100})}, nil
			},
		}},
		Positions: []task.Position{{Address: "stream.orders", File: "app.hcl", Line: 1, Column: 1}},
	}
}

// TestPurge: the changelog of windows loses what it holds of rows that have expired, and what is left is all that a process with an empty
// disk needs.
func TestPurge(t *testing.T) {
	c := kafkatest.StartFake(t)
	c.CreateTopic("orders", 1)
	c.CreateTopic("counts", 1)
	c.CreateTopic("windows-windows-changelog", 1, "cleanup.policy=compact,delete")
	dir := t.TempDir()
	config := testConfig(c, dir)
	config.PurgeInterval = 10 * time.Millisecond
	e := startEngine(t, perWindowProgram(), config)
	counts := collect(t, c, "counts")
	admin := kadm.NewClient(c.Client)
	begin := func() int64 {
		r, err := admin.ListStartOffsets(context.Background(), "windows-windows-changelog")
		if err != nil {
			t.Fatal(err)
		}
		o, _ := r.Lookup("windows-windows-changelog", 0)
		return o.Offset
	}
	n := 0
	next := func() {
		c.Produce(&kgo.Record{Topic: "orders", Key: fmt.Appendf(nil, "k%d", n%3), Timestamp: time.UnixMilli(int64(1000 + 5*n))})
		n++
		counts.until(n)
	}
	deadline := time.Now().Add(patience)
	for begin() == 0 {
		if next(); time.Now().After(deadline) {
			t.Fatalf("nothing of the changelog is deleted after %d records", n)
		}
	}
	e.drain()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	config.StateDir = t.TempDir()
	startEngine(t, perWindowProgram(), config)
	n -= 2 // the last two records once more, in windows that are open
	before := counts.records[len(counts.records)-2:]
	for i, r := range before {
		key := fmt.Appendf(nil, "k%d", (n+i)%3)
		c.Produce(&kgo.Record{Topic: "orders", Key: key, Timestamp: time.UnixMilli(int64(1000 + 5*(n+i)))})
		all := counts.until(n + 3 + i)
		had, _ := strconv.Atoi(string(r.Value))
		if got := string(all[len(all)-1].Value); got != strconv.Itoa(had+1) {
			t.Errorf("after a restore %s counts %s, not %d", key, got, had+1)
		}
	}
}
