package kafka

import (
	"strconv"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamgen/streamgen/internal/kafkatest"
)

// TestPollerKeepsFetching changes offsets twice in a row, again and again: after each pair the record is there.
func TestPollerKeepsFetching(t *testing.T) {
	t.Parallel()
	c := kafkatest.StartFake(t)
	c.CreateTopic("t", 1)
	for i := range 10 {
		c.Produce(&kgo.Record{Topic: "t", Value: []byte(strconv.Itoa(i))})
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(c.Brokers...),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{"t": {0: kgo.NewOffset().At(0)}}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	set := func(at int64) {
		client.SetOffsets(map[string]map[int32]kgo.EpochOffset{"t": {0: {Epoch: -1, Offset: at}}})
	}
	p := &Poller{Client: client}
	for len(p.Poll(t.Context(), 10).Records()) == 0 { // until then there is no offset to change
	}
	for round := range 1000 {
		set(int64(round % 5))
		set(int64(round%5 + 1))
		for deadline := time.Now().Add(30 * time.Second); ; {
			if time.Now().After(deadline) {
				t.Fatalf("round %d: no record", round)
			}
			if rs := p.Poll(t.Context(), 1).Records(); len(rs) > 0 {
				if rs[0].Offset != int64(round%5+1) {
					t.Fatalf("round %d: offset %d", round, rs[0].Offset)
				}
				break
			}
		}
	}
}
