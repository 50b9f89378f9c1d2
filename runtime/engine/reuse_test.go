package engine

import (
	"errors"
	"fmt"
	"slices"
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

// The program of these tests: a table whose topic is its changelog. It says what each record replaces.
func tiers(g topology.Guarantee) *topology.Topology {
	const customers, changes = 0, 1
	return &topology.Topology{
		App: "tiers", Guarantee: g, CommitInterval: 10 * time.Millisecond,
		Topics: []topology.Topic{{Name: "customers", Kind: topology.Input}, {Name: "changes", Kind: topology.Output}},
		SubTopologies: []topology.SubTopology{{
			Name:    "tiers",
			Sources: []topology.Source{{Name: "table.customers", Topics: []uint16{customers}, Table: true}},
			Stores:  []topology.Store{{Name: "customers", ID: 0, Changelog: "customers", Fingerprint: "string", Row: tierRow}},
			New: func(t *task.Task) (task.SubTopology, error) {
				return &replacing{task: t, out: t.Topic(changes), customers: state.NewKeyValue(t.Stores, 0, state.Codec[string]{
					Append: func(dst []byte, v *string) []byte { return append(dst, *v...) },
					Read:   func(src []byte, v *string) error { *v = string(src); return nil },
				})}, nil
			},
		}},
		Positions: []task.Position{{Address: "table.customers", OnError: task.Skip}},
	}
}

var errTier = errors.New("no tier")

func tierRow(dst, _, value []byte) ([]byte, error) {
	switch {
	case value == nil:
		return nil, nil
	case string(value) == "bad":
		return nil, errTier
	}
	return append(dst, value...), nil
}

type replacing struct {
	task      *task.Task
	customers *state.KeyValue[string]
	out       record.Topic
}

func (s *replacing) Flush() error { return nil }
func (s *replacing) Process(b *record.Batch) error {
	for i := range b.Records {
		r := &b.Records[i]
		if r.Key == nil {
			continue
		}
		if string(r.Value) == "bad" {
			if err := s.task.Reject(r, 0, task.BadInput, errTier); err != nil {
				return err
			}
			continue
		}
		before := "none"
		if row, err := s.customers.Get(r.Key); err != nil {
			return err
		} else if row != nil {
			before = row.Value
		}
		s.out.Send(r.Key, s.out.Keep(fmt.Appendf(s.out.Tail(), "%s>%s", before, r.Value)), r.Timestamp, nil)
		if r.Value == nil {
			if _, err := s.customers.Delete(r.Key, r.Timestamp); err != nil {
				return err
			}
			continue
		}
		row, _, err := s.customers.Update(r.Key)
		if err != nil {
			return err
		}
		row.Value, row.Timestamp = string(r.Value), r.Timestamp
	}
	return nil
}

// tier is a row of the table; an empty one is a delete.
func tier(n int, tier string) *kgo.Record {
	r := customer("c"+strconv.Itoa(n), tier, 1)
	if tier == "" {
		r.Value = nil
	}
	return r
}

func tiersOf(n int, name string) (list []*kgo.Record) {
	for i := range n {
		list = append(list, tier(i, name))
	}
	return list
}

func tierTopics(c *kafkatest.Fake) {
	c.CreateTopic("customers", 1, "cleanup.policy=compact", "delete.retention.ms=0")
	c.CreateTopic("changes", 1)
}

// restoredOf is how many records the task has read to be restored.
func restoredOf(e *running) (n int64) {
	for _, s := range e.Stats().Tasks() {
		n += s.Restored.Load()
	}
	return n
}

// TestReuseSource: the rows of a table that has no changelog of its own are those that its topic holds before the committed offset: on
// a lost disk all of them, on an old one what came since, and nothing of what is still to be processed.
func TestReuseSource(t *testing.T) {
	for name, g := range map[string]topology.Guarantee{"exactly once": topology.ExactlyOnce, "at least once": topology.AtLeastOnce} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := kafkatest.StartFake(t)
			tierTopics(c)
			changes := collect(t, c, "changes")
			first := t.TempDir()
			e := startEngine(t, tiers(g), testConfig(c, first))
			c.Produce(append(tiersOf(10, "a"), tier(9, ""), tier(0, "bad"), &kgo.Record{Topic: "customers", Value: []byte("no key")})...)
			changes.until(11)
			e.drain()

			seen := 11
			round := func(dir, before, after string, restored int64) {
				t.Helper()
				c.Produce(tiersOf(9, after)...) // nobody reads them yet
				e := startEngine(t, tiers(g), testConfig(c, dir))
				for _, r := range changes.until(seen + 9)[seen:] {
					if want := before + ">" + after; string(r.Value) != want {
						t.Errorf("customer %s: %s, want %s", r.Key, r.Value, want)
					}
				}
				seen += 9
				if n := restoredOf(e); n != restored {
					t.Errorf("%s: %d records were read to restore, want %d", after, n, restored)
				}
				e.drain()
			}
			second := t.TempDir()
			round(second, "a", "b", 13)
			round(first, "b", "c", 9)
			round(first, "c", "d", 0)
			round(second, "d", "e", 18)
			if changelogs := slices.ContainsFunc(c.Read("customers"), func(r *kgo.Record) bool { return r.Key != nil && r.Key[0] == 0xff }); changelogs {
				t.Error("the program wrote into the topic of the table")
			}
		})
	}
}

// TestReuseSourceCompacted: the last records before the committed offset were compacted away: nothing comes that says where the end is.
func TestReuseSourceCompacted(t *testing.T) {
	c := kafkatest.StartFake(t)
	tierTopics(c)
	changes := collect(t, c, "changes")
	e := startEngine(t, tiers(topology.ExactlyOnce), testConfig(c, t.TempDir()))
	c.Produce(tiersOf(3, "a")...)
	c.Produce(tier(2, ""))
	changes.until(4)
	e.drain()

	id := c.Kfake.TopicInfo("customers").TopicID
	var hidden atomic.Bool
	hidden.Store(true)
	x := &intercept{}
	x.set(nil, func(_ int16, r kmsg.Response) error {
		f, ok := r.(*kmsg.FetchResponse)
		for i := 0; ok && hidden.Load() && i < len(f.Topics); i++ {
			for j := range f.Topics[i].Partitions {
				if f.Topics[i].TopicID == id {
					p := &f.Topics[i].Partitions[j]
					p.RecordBatches = before(p.RecordBatches, 3)
				}
			}
		}
		return nil
	})
	config := testConfig(c, t.TempDir())
	config.Client = append(config.Client, x.option())
	e = startEngine(t, tiers(topology.ExactlyOnce), config)
	within(t, "the restored task", func() bool {
		list := e.Stats().Tasks()
		return len(list) == 1 && Phase(list[0].Phase.Load()) == Running
	})
	if n := restoredOf(e); n != 3 {
		t.Errorf("%d records were read to restore, want three", n)
	}
	hidden.Store(false)
	c.Produce(tier(0, "b"))
	if r := changes.until(5)[4]; string(r.Value) != "a>b" {
		t.Errorf("got %s", r.Value)
	}
	e.drain()
}
