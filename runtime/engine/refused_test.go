package engine

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/streamgen/streamgen/internal/kafkatest"
	"github.com/streamgen/streamgen/runtime/task"
	"github.com/streamgen/streamgen/runtime/topology"
)

// refusing is a cluster whose topic enriched takes small batches only, a program that writes to it, and how it is run.
func refusing(t *testing.T) (*kafkatest.Fake, *topology.Topology, Config) {
	c := kafkatest.StartFake(t)
	for _, name := range []string{"orders", "customers", "shop-rekeyed-repartition", "shop-customers-changelog", "shop-counts-changelog", "counts", "dead"} {
		c.CreateTopic(name, 1)
	}
	c.CreateTopic("enriched", 1, "max.message.bytes=1000")
	config := testConfig(c, t.TempDir())
	config.Client = append(config.Client, kgo.ProducerBatchCompression(kgo.NoCompression()))
	c.Produce(customer("small", "gold", 1), customer("big", strings.Repeat("x", 2000), 1))
	return c, shop(topology.ExactlyOnce), config
}

// TestRefusedBecomesDeadLetter: two of the records of one batch are too large for their topic. They become dead letters, and the others
// are where they belong, in their order, each once.
func TestRefusedBecomesDeadLetter(t *testing.T) {
	c, p, config := refusing(t)
	p.Topics[topicEnriched].DeadLetters = true
	p.DeadLetters = "dead"
	p.Topics = append(p.Topics, topology.Topic{Name: "dead", Kind: topology.Output})
	var orders []*kgo.Record
	var want []string
	for n := range 60 {
		name := "small"
		if n == 20 || n == 40 {
			name = "big"
		} else {
			want = append(want, "small,"+strconv.Itoa(n)+",gold")
		}
		orders = append(orders, order(0, name, n))
	}
	c.Produce(orders...)
	e := startEngine(t, p, config)
	var got []string
	for _, r := range collect(t, c, "enriched").until(58) {
		got = append(got, string(r.Value))
	}
	if !slices.Equal(got, want) {
		t.Errorf("enriched are %q", got)
	}
	for i, r := range collect(t, c, "dead").until(2) {
		n := strconv.Itoa(20 + 20*i)
		if string(r.Key) != "big" || !strings.HasPrefix(string(r.Value), "big,"+n+",xxx") {
			t.Errorf("dead letter %d is %s = %.20s", i, r.Key, r.Value)
		}
		headers := map[string]string{}
		for _, h := range r.Headers {
			headers[h.Key] = string(h.Value)
		}
		if headers[task.LetterClass] != "refused by the sink" || headers[task.LetterRefused] != "enriched" || !strings.Contains(headers[task.LetterError], "MESSAGE_TOO_LARGE") {
			t.Errorf("dead letter %d has headers %v", i, headers)
		}
	}
	if n := len(collect(t, c, "counts").until(60)); n != 60 {
		t.Errorf("%d counts", n)
	}
	e.drain()
}

// TestRefusedFails: without a policy the process stops and says what was refused: no retry makes it another record.
func TestRefusedFails(t *testing.T) {
	t.Parallel()
	t.Run("too large", func(t *testing.T) {
		t.Parallel()
		c, p, config := refusing(t)
		c.Produce(order(0, "big", 1))
		err := startEngine(t, p, config).wait()
		if !errors.Is(err, kerr.MessageTooLarge) || !strings.Contains(err.Error(), "topic enriched") {
			t.Errorf("ended with %v", err)
		}
	})
	for topic, why := range map[string]*kerr.Error{"enriched": kerr.InvalidTimestamp, "counts": kerr.InvalidRecord, "shop-counts-changelog": kerr.InvalidTimestamp} {
		t.Run(topic, func(t *testing.T) {
			t.Parallel()
			c, p, config := refusing(t)
			e := startEngine(t, p, config)
			c.Produce(order(0, "small", 1))
			collect(t, c, "counts").until(1)
			c.Kfake.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: topic, Err: why, Count: -1})
			c.Produce(order(0, "small", 2))
			err := e.wait()
			if !errors.Is(err, why) || !strings.Contains(err.Error(), "topic "+topic+" partition 0") {
				t.Errorf("ended with %v", err)
			}
		})
	}
}
