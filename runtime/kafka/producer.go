package kafka

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamgen/streamgen/runtime/record"
)

// ProducerConfig is what a Producer is made of.
type ProducerConfig struct {
	Client        []kgo.Opt // the connection
	Transactional string    // transactional id; empty: no transactions, Begin and End do nothing
	Timeout       time.Duration
}

// Producer writes the epochs of one worker, one transaction each. It is used by one goroutine at a time.
//
// A transaction goes Begin, Send…, Flush, AddOffsets, End. After an error of any of them but End the transaction is known
// not to commit: Abort. After an error of End nothing is known: Replace decides it, and the committed offsets tell.
type Producer struct {
	config ProducerConfig
	client *kgo.Client
	slabs  [][]kgo.Record           // in chunks of slabSize; reused from epoch to epoch
	used   int                      // records of all slabs together
	done   func(*kgo.Record, error) // promise, made once
	topic  string                   // of the last record
	known  map[string]bool          // topics that the client ends transactions of, see settle

	unsettled atomic.Bool // the transaction has records of topics that are not known

	mu     sync.Mutex       // promises run on the client's goroutines
	failed error            // first refused record
	acked  map[string]int32 // while unsettled: a partition that has a record, by topic
}

// NewProducer makes a producer. Replace fences what another process has left open under its transactional id.
func NewProducer(c ProducerConfig) (*Producer, error) {
	p := &Producer{config: c}
	p.done = p.promise
	var err error
	p.client, err = p.open()
	return p, err
}

func (p *Producer) open() (*kgo.Client, error) {
	opts := append([]kgo.Opt{}, p.config.Client...)
	opts = append(opts, kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.MaxBufferedRecords(1<<17))
	p.forget()
	if p.config.Transactional != "" {
		opts = append(opts, kgo.TransactionalID(p.config.Transactional), kgo.TransactionTimeout(p.config.Timeout))
	}
	return kgo.NewClient(opts...)
}

// forget begins anew with what is known of topics, for another client.
func (p *Producer) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known, p.acked = map[string]bool{}, map[string]int32{}
	p.unsettled.Store(false)
}

// Init gets the producer its id. Whatever transaction another client has left open under the transactional id ends here.
func (p *Producer) Init(ctx context.Context) error {
	if p.config.Transactional == "" {
		return nil
	}
	return again(ctx, func() error {
		_, _, err := p.client.ProducerID(ctx)
		return err
	})
}

// Client is the client that the next request goes to.
func (p *Producer) Client() *kgo.Client { return p.client }

// Begin begins a transaction.
func (p *Producer) Begin() error {
	p.mu.Lock()
	p.failed = nil
	p.mu.Unlock()
	if n := (p.used + slabSize - 1) / slabSize; n < len(p.slabs) { // follow the size of epochs
		clear(p.slabs[n:])
		p.slabs = p.slabs[:n]
	}
	p.used, p.topic = 0, ""
	if p.config.Transactional == "" {
		return nil
	}
	return p.client.BeginTransaction()
}

// Send produces a record. Its bytes must live until Flush returns, or until the transaction is aborted. The client's record
// has its offset once Flush has returned nil, until the next Begin.
func (p *Producer) Send(ctx context.Context, topic string, partition int32, key, value []byte, ms int64,
	headers []record.Header) *kgo.Record {
	if p.used == len(p.slabs)*slabSize {
		p.slabs = append(p.slabs, make([]kgo.Record, slabSize))
	}
	r := &p.slabs[p.used/slabSize][p.used%slabSize]
	p.used++
	if topic != p.topic {
		p.topic = topic
		if p.config.Transactional != "" && !p.known[topic] {
			p.unsettled.Store(true)
		}
	}
	*r = kgo.Record{
		Topic: topic, Partition: partition, Key: key, Value: value, Timestamp: timestamp(ms), Headers: clientHeaders(headers),
	}
	p.client.Produce(ctx, r, p.done)
	return r
}

const slabSize = 1024

func (p *Producer) promise(r *kgo.Record, err error) {
	if err != nil {
		p.mu.Lock()
		if p.failed == nil {
			p.failed = &RefusedError{Record: r, Err: err}
		}
		p.mu.Unlock()
		return
	}
	if p.unsettled.Load() {
		p.mu.Lock()
		p.acked[r.Topic] = r.Partition
		p.mu.Unlock()
	}
	r.Key, r.Value, r.Headers = nil, nil, nil // a slab waits for the next epoch and must not pin a fetch
}

// RefusedError is a record that was not acknowledged.
type RefusedError struct {
	Record *kgo.Record
	Err    error
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("topic %s partition %d: record of %d bytes: %v", e.Record.Topic, e.Record.Partition,
		len(e.Record.Key)+len(e.Record.Value), e.Err)
}

func (e *RefusedError) Unwrap() error { return e.Err }

// Flush waits until every record is acknowledged. It returns an error if one was not: ending the transaction would commit
// the others.
func (p *Producer) Flush(ctx context.Context) error {
	err := p.client.Flush(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failed != nil {
		return p.failed
	}
	return err
}

// End commits the transaction. After an error the outcome is not known.
func (p *Producer) End(ctx context.Context) error {
	if p.config.Transactional == "" {
		return nil
	}
	if err := p.settle(ctx); err != nil {
		return err
	}
	return p.client.EndTransaction(ctx, kgo.TryCommit)
}

// settle waits until the client knows all topics that it has written records of. The client ends a transaction by what it finds in its
// list of topics. A topic comes into that list when its first records have been handed over to be sent, so they may be
// acknowledged before (kgo's storePartitionsUpdate), and a transaction of just them would be taken for an empty one: what was to be
// committed is aborted, without an error.
func (p *Producer) settle(ctx context.Context) error {
	if !p.unsettled.Load() {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for topic, partition := range p.acked {
		for {
			if leader, _, _ := p.client.PartitionLeader(topic, partition); leader >= 0 {
				break
			}
			select {
			case <-ctx.Done():
				return fmt.Errorf("topic %s: %w", topic, ctx.Err())
			case <-time.After(50 * time.Microsecond):
			}
		}
		p.known[topic] = true
	}
	clear(p.acked)
	p.unsettled.Store(false)
	return nil
}

// Abort aborts the transaction and leaves the producer ready for the next one, by a new client where the old one is of no
// more use.
func (p *Producer) Abort(ctx context.Context) error {
	short, cancel := context.WithTimeout(ctx, p.patience())
	defer cancel()
	p.slabs, p.used = nil, 0 // a request that is on its way may still hold records
	err := p.client.AbortBufferedRecords(short)
	if err == nil {
		err = p.settle(short)
	}
	if err == nil && p.config.Transactional != "" {
		err = p.client.EndTransaction(short, kgo.TryAbort)
	}
	if err == nil && p.config.Transactional != "" {
		_, _, err = p.client.ProducerID(short)
	}
	if err != nil {
		return p.Replace(ctx)
	}
	return nil
}

// patience is how long the old client is tried before a new one is made.
func (p *Producer) patience() time.Duration {
	if p.config.Timeout > 0 {
		return p.config.Timeout
	}
	return 10 * time.Second
}

// Replace makes a new client. When it returns nil, whatever transaction was open under the transactional id has ended, one
// way or the other, and no late request of an earlier client can change it. It tries until ctx is done.
func (p *Producer) Replace(ctx context.Context) error {
	p.client.Close()
	p.slabs, p.used = nil, 0
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, 2*time.Second) {
		client, err := p.open()
		if err != nil {
			return err // of the options
		}
		p.client = client
		if p.config.Transactional == "" {
			return nil
		}
		if _, _, err = client.ProducerID(ctx); err == nil {
			return nil
		}
		client.Close()
		if errors.Is(err, kerr.TransactionalIDAuthorizationFailed) {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(pause):
		}
	}
}

// Close ends the client. An open transaction is aborted by the broker when its timeout is over.
func (p *Producer) Close() { p.client.Close() }
