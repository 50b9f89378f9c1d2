package kafka

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamgen/streamgen/internal/kafkatest"
)

// TestTransactionWaitsForItsTopics: a record is acknowledged, but the client does not have its topic in its list yet. It would take the
// transaction for an empty one and abort it, whatever it is told.
func TestTransactionWaitsForItsTopics(t *testing.T) {
	t.Parallel()
	c := kafkatest.StartFake(t)
	c.CreateTopic("t", 1)
	p, err := NewProducer(ProducerConfig{Client: []kgo.Opt{kgo.SeedBrokers(c.Brokers...)}, Transactional: "x", Timeout: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	if err := p.Begin(); err != nil {
		t.Fatal(err)
	}
	p.unsettled.Store(true)
	p.promise(&kgo.Record{Topic: "t"}, nil)
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := p.End(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the transaction ended with %v before its topic was known", err)
	}
	p.Send(t.Context(), "t", 0, []byte("key"), nil, 1, nil)
	if err := p.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := p.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := len(c.Read("t")); n != 1 {
		t.Errorf("%d records are committed", n)
	}
	if p.unsettled.Load() || !p.known["t"] {
		t.Error("the topic is not known")
	}
}
