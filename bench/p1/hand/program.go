package hand

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// RecordError is a record that is no order. It stops the program.
type RecordError struct {
	Topic     string
	Partition int32
	Offset    int64
	Err       error
}

func (e *RecordError) Error() string {
	return fmt.Sprintf("topic %s partition %d offset %d: %v", e.Topic, e.Partition, e.Offset, e.Err)
}

func (e *RecordError) Unwrap() error { return e.Err }

// Config is how the program runs.
type Config struct {
	Brokers     []string
	Group       string
	In, Out     string // topics
	ExactlyOnce bool   // one transaction a commit; else outputs first, then offsets
	Interval    time.Duration
	Step        Step
}

// Run works until ctx is done; then it commits what it has done and leaves the group.
func Run(ctx context.Context, c Config) error {
	p := &program{config: c, work: map[int32]*Paid{}}
	if err := p.open(); err != nil {
		return err
	}
	defer p.close()
	details, err := kadm.NewClient(p.client).ListTopics(ctx, c.Out)
	if err == nil {
		err = details.Error()
	}
	if err != nil {
		return err
	}
	p.partitions = len(details[c.Out].Partitions)
	return p.run(ctx)
}

type program struct {
	config     Config
	client     *kgo.Client
	session    *kgo.GroupTransactSession // nil: at least once
	partitions int                       // of the output topic
	work       map[int32]*Paid           // by partition
	refused    atomic.Pointer[error]     // the first record that was not taken
	dirty      bool                      // something was polled since the last commit
}

func (p *program) open() (err error) {
	c := p.config
	opts := []kgo.Opt{
		kgo.SeedBrokers(c.Brokers...), kgo.ConsumerGroup(c.Group), kgo.ConsumeTopics(c.In),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerBatchCompression(kgo.NoCompression()),
		kgo.MaxBufferedRecords(1 << 17), kgo.ProducerLinger(5 * time.Millisecond),
	}
	if !c.ExactlyOnce {
		p.client, err = kgo.NewClient(append(opts, kgo.DisableAutoCommit(), kgo.BlockRebalanceOnPoll())...)
		return err
	}
	p.session, err = kgo.NewGroupTransactSession(append(opts, kgo.TransactionalID(c.Group), kgo.TransactionTimeout(10*time.Second))...)
	if err != nil {
		return err
	}
	p.client = p.session.Client()
	return p.session.Begin()
}

func (p *program) close() {
	if p.session != nil {
		p.session.Close()
		return
	}
	p.client.CloseAllowingRebalance()
}

func (p *program) run(ctx context.Context) error {
	committed := time.Now()
	for ctx.Err() == nil {
		poll, cancel := context.WithTimeout(ctx, max(time.Millisecond, p.config.Interval-time.Since(committed)))
		fetches := p.client.PollRecords(poll, 20_000)
		cancel()
		for _, e := range fetches.Errors() {
			if !errors.Is(e.Err, context.DeadlineExceeded) && !errors.Is(e.Err, context.Canceled) && !kerr.IsRetriable(e.Err) {
				return e.Err
			}
		}
		if err := p.process(fetches); err != nil {
			return err
		}
		if time.Since(committed) >= p.config.Interval {
			if err := p.commit(context.WithoutCancel(ctx)); err != nil {
				return err
			}
			committed = time.Now()
		}
		p.client.AllowRebalance()
	}
	return p.commit(context.WithoutCancel(ctx))
}

// process takes the records of each partition on a goroutine of its own.
func (p *program) process(fetches kgo.Fetches) error {
	var all sync.WaitGroup
	var failed atomic.Pointer[error]
	send := func(r *kgo.Record) { p.client.Produce(context.Background(), r, p.produced) }
	fetches.EachPartition(func(f kgo.FetchTopicPartition) {
		if len(f.Records) == 0 {
			return
		}
		p.dirty = true
		paid := p.work[f.Partition]
		if paid == nil {
			paid = NewPaid(p.config.Out, p.partitions, p.config.Step)
			p.work[f.Partition] = paid
		}
		all.Go(func() {
			if err := paid.Process(f.Records, send); err != nil {
				failed.CompareAndSwap(nil, &err)
			}
		})
	})
	all.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

func (p *program) produced(_ *kgo.Record, err error) {
	if err != nil {
		p.refused.CompareAndSwap(nil, &err)
	}
}

// commit makes the outputs and the offsets of what was polled durable.
func (p *program) commit(ctx context.Context) error {
	if !p.dirty {
		return nil
	}
	p.dirty = false
	if err := p.client.Flush(ctx); err != nil {
		return err
	}
	if err := p.refused.Load(); err != nil && p.session == nil {
		return *err
	}
	defer func() {
		for _, paid := range p.work {
			paid.Reset()
		}
	}()
	if p.session == nil {
		return p.client.CommitUncommittedOffsets(ctx)
	}
	// A transaction that a rebalance broke is aborted, and its input comes again.
	if _, err := p.session.End(ctx, kgo.TransactionEndTry(p.refused.Swap(nil) == nil)); err != nil {
		return err
	}
	return p.session.Begin()
}
