package kafkatest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

func TestRealBrokerKeepsItsDataOverAKill(t *testing.T) {
	c := Start(t)
	c.CreateTopic("t", 2, "cleanup.policy=compact")
	c.Produce(&kgo.Record{Topic: "t", Partition: 1, Key: []byte("k"), Value: []byte("v")})
	for name, end := range map[string]func() error{"kill": c.Broker.Kill, "stop": c.Broker.Stop} {
		if err := end(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := c.Broker.Start(context.Background()); err != nil {
			t.Fatalf("start after %s: %v", name, err)
		}
		if got := c.Read("t"); len(got) != 1 || string(got[0].Value) != "v" || got[0].Partition != 1 {
			t.Fatalf("after %s: %v", name, got)
		}
	}
}

// TestReadCommitted: records of an aborted transaction are not there, and a log that ends in its marker has an end.
func TestReadCommitted(t *testing.T) {
	c := StartFake(t)
	c.CreateTopic("t", 1)
	c.Produce(&kgo.Record{Topic: "t", Value: []byte("kept")})
	tx, err := kgo.NewClient(kgo.SeedBrokers(c.Brokers...), kgo.TransactionalID("x"))
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Close()
	if err := tx.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	if err := tx.ProduceSync(context.Background(), &kgo.Record{Topic: "t", Value: []byte("aborted")}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	if err := tx.EndTransaction(context.Background(), kgo.TryAbort); err != nil {
		t.Fatal(err)
	}
	if got := c.Read("t"); len(got) != 1 || string(got[0].Value) != "kept" {
		t.Errorf("got %v", got)
	}
}

func TestNoJava(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := NewBroker(context.Background(), Config{Dir: t.TempDir()})
	if !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "java is not installed") {
		t.Errorf("got %v", err)
	}
}
