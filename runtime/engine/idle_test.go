package engine

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/streamgen/streamgen/internal/kafkatest"
	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/state"
	"github.com/streamgen/streamgen/runtime/task"
	"github.com/streamgen/streamgen/runtime/topology"
)

// whole counts the records of a key in windows of 10 ms, and sends them when they are closed.
type whole struct {
	counts *state.Windowed[int64]
	late   *task.Counter
	out    record.Topic
}

func (s *whole) Process(b *record.Batch) error {
	for i := range b.Records {
		r := &b.Records[i]
		s.counts.Advance(0, r.Timestamp)
		start := r.Timestamp / 10 * 10
		if s.counts.Late(start) {
			s.late.Inc()
			continue
		}
		row, _, err := s.counts.UpdateAt(start, r.Key)
		if err != nil {
			return err
		}
		row.Value++
	}
	if !s.counts.Due() {
		return nil
	}
	_, err := s.counts.Close(state.CloseStep, func(start, _ int64, key []byte, r *state.Row[int64]) error {
		s.out.Send(s.out.Copy(key), s.out.Keep(strconv.AppendInt(s.out.Tail(), r.Value, 10)), start, nil)
		return nil
	})
	return err
}

func (s *whole) Flush() error { return nil }

// wholeProgram counts what "in" has, or what a repartition of it has.
func wholeProgram(idle time.Duration, through bool) *topology.Topology {
	t := &topology.Topology{
		App: "whole", Guarantee: topology.ExactlyOnce, CommitInterval: 10 * time.Millisecond,
		Topics: []topology.Topic{
			{Name: "in", Kind: topology.Input}, {Name: "out", Kind: topology.Output},
			{Name: "whole-rekeyed-repartition", Kind: topology.Repartition, Like: []uint16{0}},
		},
		Positions: []task.Position{{Address: "stream.in", File: "app.hcl", Line: 1, Column: 1}},
	}
	source := topology.Source{Name: "stream.in", Topics: []uint16{0}, Start: topology.Earliest, Idle: idle}
	if through {
		t.SubTopologies = append(t.SubTopologies, topology.SubTopology{Name: "rekey", Sources: []topology.Source{source},
			New: func(t *task.Task) (task.SubTopology, error) { return &forward{t.Topic(2)}, nil }})
		source.Topics = []uint16{2}
	}
	t.SubTopologies = append(t.SubTopologies, topology.SubTopology{
		Name: "counts", Sources: []topology.Source{source},
		Stores: []topology.Store{{Name: "counts", ID: 0, Changelog: "whole-counts-changelog", Fingerprint: "int64", Kind: topology.WindowStore}},
		New: func(t *task.Task) (task.SubTopology, error) {
			s := &whole{out: t.Topic(1), late: t.Counter("late", 0), counts: state.NewWindowed(t.Stores, 0, state.Codec[int64]{
				Append: func(dst []byte, v *int64) []byte { return binary.BigEndian.AppendUint64(dst, uint64(*v)) },
				Read:   func(src []byte, v *int64) error { *v = int64(binary.BigEndian.Uint64(src)); return nil },
			}, state.WindowedOptions{Size: 10, Retention: 10, Final: true})}
			t.Idle(s.counts, 0)
			return s, nil
		},
	})
	return t
}

func wholeCluster(t *testing.T, partitions int32) *kafkatest.Fake {
	c := kafkatest.StartFake(t)
	for _, name := range []string{"in", "out", "whole-rekeyed-repartition", "whole-counts-changelog"} {
		c.CreateTopic(name, partitions)
	}
	return c
}

func inAt(p int32, key string, ms int64) *kgo.Record {
	return &kgo.Record{Topic: "in", Partition: p, Key: []byte(key), Timestamp: time.UnixMilli(ms)}
}

func lateOf(e *running) (n uint64) {
	for _, d := range e.Stats().Drops.List() {
		if d.Reason == "late" {
			n += d.Count
		}
	}
	return n
}

// TestW17IdlePartition: the last window of a partition that falls silent leaves while another one is busy, also behind a repartition, and stays
// closed over a restart, with or without its disk.
func TestW17IdlePartition(t *testing.T) {
	for _, through := range []bool{false, true} {
		t.Run(fmt.Sprint(through), func(t *testing.T) {
			c := wholeCluster(t, 2)
			dir := t.TempDir()
			e := startEngine(t, wholeProgram(100*time.Millisecond, through), testConfig(c, dir))
			quiet, busy := keyOf(1, 2), keyOf(0, 2)
			c.Produce(inAt(1, quiet, 5000), inAt(1, quiet, 5001))
			out := collect(t, c, "out")
			found := func() bool {
				for _, r := range out.records {
					if string(r.Key) == quiet {
						return string(r.Value) == "2"
					}
				}
				return false
			}
			for n := int64(0); !found(); n++ { // each of them closes the window before
				c.Produce(inAt(0, busy, 5000+10*n))
				out.until(len(out.records) + int(min(n, 1)))
			}
			e.drain()
			for _, dir := range []string{dir, t.TempDir()} {
				e = startEngine(t, wholeProgram(100*time.Millisecond, through), testConfig(c, dir))
				c.Produce(inAt(1, quiet, 5003))
				within(t, "the late record", func() bool { return lateOf(e) == 1 })
				e.drain()
			}
		})
	}
}

// keyOf is a key whose partition is p of n.
func keyOf(p, n int32) string {
	for i := 0; ; i++ {
		if k := strconv.Itoa(i); record.Partition([]byte(k), n) == p {
			return k
		}
	}
}

// TestW19StalledFetch: while a partition has records that do not come, however long, nothing is closed that they belong to.
func TestW19StalledFetch(t *testing.T) {
	const idle = 50 * time.Millisecond
	c := wholeCluster(t, 1)
	c.Produce(inAt(0, "k", 5000))
	var stalled atomic.Bool
	var asked atomic.Int32
	x := &intercept{}
	x.set(func(key int16) error {
		switch {
		case key == int16(kmsg.Fetch) && stalled.Load():
			return errSwallow
		case key == int16(kmsg.ListOffsets) && stalled.Load():
			asked.Add(1)
		}
		return nil
	}, func(_ int16, r kmsg.Response) error {
		if f, ok := r.(*kmsg.FetchResponse); ok && !stalled.Load() {
			for _, topic := range f.Topics {
				for _, p := range topic.Partitions {
					if len(p.RecordBatches) > 0 && topic.TopicID == c.Kfake.TopicInfo("in").TopicID {
						stalled.Store(true) // before the record can be processed
						c.Produce(inAt(0, "k", 5001), inAt(0, "k", 5002))
					}
				}
			}
		}
		return nil
	})
	config := testConfig(c, t.TempDir())
	config.Client = append(config.Client, x.option(), kgo.RetryBackoffFn(func(int) time.Duration { return 10 * time.Millisecond }))
	e := startEngine(t, wholeProgram(idle, false), config)
	within(t, "questions for ends", func() bool { return asked.Load() > 4 }) // each as long after the one before as idle is
	stalled.Store(false)
	x.set(nil, nil)
	if got := string(collect(t, c, "out").until(1)[0].Value); got != "3" {
		t.Errorf("the window had %s records, want 3", got)
	}
	if n := lateOf(e); n > 0 {
		t.Errorf("%d records were late", n)
	}
}
