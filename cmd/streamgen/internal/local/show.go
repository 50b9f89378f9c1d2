package local

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamgen/streamgen/codegen/plan"
)

// show prints the records of output topics as they arrive.
type show struct {
	out    io.Writer
	text   bool // for people; else JSON lines
	limit  int  // of each topic; 0: none
	topics map[string]*plan.Topic
	client *kgo.Client

	mu      sync.Mutex
	read    offsets // the offset behind the last record that was read, markers of transactions included
	printed map[string]int
	hidden  int
	changed chan struct{} // closed and made anew when read moves
}

// watch begins to read the topics, from where they end now. It sees committed records only.
func watch(ctx context.Context, c *cluster, s *show) error {
	s.printed, s.changed = map[string]int{}, make(chan struct{})
	var err error
	if s.read, err = c.ends(ctx, s.topics); err != nil || len(s.read) == 0 {
		return err
	}
	from := map[string]map[int32]kgo.Offset{}
	for topic, partitions := range s.read {
		from[topic] = map[int32]kgo.Offset{}
		for p, end := range partitions {
			from[topic][p] = kgo.NewOffset().At(end)
		}
	}
	s.client, err = kgo.NewClient(kgo.SeedBrokers(c.brokers...), kgo.ConsumePartitions(from), kgo.KeepControlRecords(),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.FetchMaxWait(100*time.Millisecond))
	return err
}

// run reads until ctx is done.
func (s *show) run(ctx context.Context) error {
	if s.client == nil {
		return nil
	}
	defer s.client.Close()
	for ctx.Err() == nil {
		fetches := s.client.PollFetches(ctx)
		var err error
		fetches.EachError(func(topic string, partition int32, e error) {
			if ctx.Err() == nil && err == nil {
				err = fmt.Errorf("cannot read %s: %w", topic, e)
			}
		})
		if err != nil {
			return err
		}
		if err := s.print(fetches); err != nil {
			return err
		}
	}
	return nil
}

func (s *show) print(fetches kgo.Fetches) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b bytes.Buffer
	for it := fetches.RecordIter(); !it.Done(); {
		r := it.Next()
		s.read[r.Topic][r.Partition] = r.Offset + 1
		if r.Attrs.IsControl() {
			continue
		}
		if s.limit > 0 && s.printed[r.Topic] >= s.limit {
			s.hidden++
			continue
		}
		s.printed[r.Topic]++
		s.record(&b, r)
	}
	close(s.changed)
	s.changed = make(chan struct{})
	_, err := s.out.Write(b.Bytes())
	return err
}

func (s *show) record(b *bytes.Buffer, r *kgo.Record) {
	topic := s.topics[r.Topic]
	key, value := display(topic.Key, r.Key), display(topic.Value, r.Value)
	if s.text {
		fmt.Fprintf(b, "%s  %s  %s  %s\n", r.Topic, r.Timestamp.UTC().Format("2006-01-02T15:04:05.000Z"), key, value)
		return
	}
	line := struct {
		Topic     string          `json:"topic"`
		Partition int32           `json:"partition"`
		Offset    int64           `json:"offset"`
		TS        int64           `json:"ts"`
		Key       json.RawMessage `json:"key"`
		Value     json.RawMessage `json:"value"`
		Headers   [][2]string     `json:"headers,omitempty"`
	}{r.Topic, r.Partition, r.Offset, r.Timestamp.UnixMilli(), key, value, nil}
	for _, h := range r.Headers {
		line.Headers = append(line.Headers, [2]string{h.Key, string(h.Value)})
	}
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(line); err != nil {
		fmt.Fprintf(b, "{\"topic\":%q,\"error\":%q}\n", r.Topic, err)
	}
}

// hiddenRecords is how many records were not shown, because of the limit.
func (s *show) hiddenRecords() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hidden
}

// reached waits until everything before the given offsets was read.
func (s *show) reached(ctx context.Context, ends offsets) error {
	for {
		s.mu.Lock()
		missing := false
		for topic, partitions := range ends {
			for p, end := range partitions {
				missing = missing || s.read[topic][p] < end
			}
		}
		changed := s.changed
		s.mu.Unlock()
		if !missing {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
