package engine

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/streamgen/streamgen/internal/kafkatest"
	"github.com/streamgen/streamgen/runtime/topology"
)

// TestMaxTaskIdle: an input that is caught up is waited for as long as that is, and no longer.
func TestMaxTaskIdle(t *testing.T) {
	program := forwards([]string{"a", "b"}, topology.Source{Name: "stream.two", Topics: []uint16{1, 2}, Start: topology.Earliest})
	start := func(idle time.Duration) (*kafkatest.Fake, *running, *atomic.Int32) {
		c := kafkatest.StartFake(t)
		for _, name := range []string{"out", "a", "b"} {
			c.CreateTopic(name, 1)
		}
		answers := &atomic.Int32{} // on the ends of inputs
		x := &intercept{}
		x.set(nil, func(_ int16, r kmsg.Response) error {
			if _, ok := r.(*kmsg.ListOffsetsResponse); ok {
				answers.Add(1)
			}
			return nil
		})
		config := testConfig(c, t.TempDir())
		config.MaxTaskIdle = idle
		config.Client = append(config.Client, x.option())
		return c, startEngine(t, program, config), answers
	}
	values := func(c *kafkatest.Fake, n int) (list []string) {
		for _, r := range collect(t, c, "out").until(n) {
			list = append(list, string(r.Value))
		}
		return list
	}

	c, e, answers := start(time.Hour)
	c.Produce(at("a", "a10", time.UnixMilli(10)), at("a", "a20", time.UnixMilli(20)))
	within(t, "the records", func() bool { return buffered(e) > 0 })
	before := answers.Load()
	within(t, "the end of the other input", func() bool { return answers.Load() > before+1 })
	c.Produce(at("b", "b5", time.UnixMilli(5)), at("b", "b30", time.UnixMilli(30)))
	if got, want := values(c, 3), []string{"b5", "a10", "a20"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q: the earlier record was written within the time", got, want)
	}

	c, _, _ = start(50 * time.Millisecond)
	c.Produce(at("a", "a10", time.UnixMilli(10)))
	if got := values(c, 1); got[0] != "a10" {
		t.Errorf("got %q", got)
	}
}

// buffered is how many bytes of records wait in tasks.
func buffered(e *running) (n int64) {
	for _, s := range e.Stats().Tasks() {
		n += s.BufferedSize.Load()
	}
	return n
}
