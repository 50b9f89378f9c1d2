package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamgen/streamgen/runtime/internal/failpoint"
	"github.com/streamgen/streamgen/runtime/kafka"
	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/state"
	"github.com/streamgen/streamgen/runtime/task"
	"github.com/streamgen/streamgen/runtime/topology"
)

// commitTimeout is how long the steps before the end of a transaction may take. The broker aborts a transaction that is older
// than transactionTimeout, so more would be in vain; a revocation waits for it, so it is below the rebalance timeout.
const commitTimeout = 2 * transactionTimeout

// rejoinTimeout is how long a commit waits for the generation that the broker already knows.
const rejoinTimeout = transactionTimeout / 2

// committer commits the epochs of one worker. It runs on the worker's committer goroutine.
type committer struct {
	ctx      context.Context // ends only when the process gives up
	catalog  *catalog
	client   *kgo.Client // for requests outside of transactions
	member   func() kafka.Member
	owned    func(*task.Task) bool // false once the group has taken the task away without asking
	producer *kafka.Producer
	id       string        // of the worker, unique for ever: its transactional id
	once     bool          // exactly once
	lease    time.Duration // how long a process that was heard of is still of the group for certain
	stats    *Stats
	log      *slog.Logger

	known   time.Time      // when the broker was last asked something that it answers only to a member
	offsets []kafka.Offset // of the epoch in hand
	last    []lastRecord
	out     []uint64 // outputs by topic

	refusals refusals
}

// lastRecord is the last record of an epoch in the changelog of a store: its offset becomes the store's position.
type lastRecord struct {
	part   int
	store  uint16
	record *kgo.Record
}

// Commit implements task.Committer: steps 5 to 9 of the protocol.
func (c *committer) Commit(e *task.Epoch) error {
	start := time.Now()
	ctx, cancel := context.WithTimeout(c.ctx, commitTimeout)
	defer cancel()
	c.collect(e)

	var err error
	if !produces(e) { // 9: offsets without records
		if err = c.commitOffsets(ctx, e); err == nil {
			c.positions(e)
		}
		c.count(e, err, &c.stats.OffsetCommits, start)
		return err
	}
	err = c.renew(ctx, e)
	if err == nil {
		err = c.producer.Begin() // 5
	}
	if err == nil {
		failpoint.Hit("commit.begun")
		err = c.produce(ctx, e) // 6
	}
	if err == nil {
		err = failpoint.Err("commit.produced")
	}
	if err == nil {
		err = c.addOffsets(ctx, e) // 7
	}
	if err != nil {
		err = c.abort(err)
		c.count(e, err, &c.stats.Commits, start)
		return err
	}
	failpoint.Hit("commit.offsets")
	if err = c.end(ctx, e); err != nil && !errors.Is(err, task.ErrFenced) { // 8
		c.log.Warn("the outcome of a transaction is not known", "error", err)
		err = c.outcome(e, err)
	}
	if err == nil {
		failpoint.Hit("commit.ended")
		c.positions(e)
	}
	c.count(e, err, &c.stats.Commits, start)
	return err
}

func produces(e *task.Epoch) bool {
	for i := range e.Parts {
		if e.Parts[i].Produces() {
			return true
		}
	}
	return false
}

// renew asks whether the process is still of the group when it has not been heard of for a while: it may have been frozen, and
// its tasks be another's by now. With at_least_once no broker refuses what it would write, and its old rows would follow the new
// ones in the changelog. What is frozen between here and the end of the flush does so still; only transactions close that gap.
func (c *committer) renew(ctx context.Context, e *task.Epoch) error {
	if c.once || time.Since(c.known) < c.lease {
		return nil
	}
	return c.fenced(e, func(m kafka.Member) error { return kafka.Heartbeat(ctx, c.client, m) })
}

// collect lists the offsets of the epoch, each with the number of its task's epoch.
func (c *committer) collect(e *task.Epoch) {
	c.offsets = c.offsets[:0]
	for i := range e.Parts {
		p := &e.Parts[i]
		for j, next := range p.Next {
			if next < 0 {
				continue
			}
			topic, partition := p.Task.Input(uint16(j))
			c.offsets = append(c.offsets, kafka.Offset{
				Topic: topic, TopicID: c.catalog.ids[topic], Partition: partition, At: next, Metadata: c.metadata(p.Number),
			})
		}
	}
	kafka.SortOffsets(c.offsets)
}

// produce sends the outputs and the changelog records, and waits until all are acknowledged.
func (c *committer) produce(ctx context.Context, e *task.Epoch) error {
	c.last, c.out = c.last[:0], c.out[:0]
	for range c.catalog.topology.Topics {
		c.out = append(c.out, 0)
	}
	for i := range e.Parts {
		p := &e.Parts[i]
		err := p.Output.Drain(func(out []record.Out) error {
			for i := range out {
				o := &out[i]
				if c.refusals.careful && c.catalog.topology.Topics[o.Topic].DeadLetters {
					if err := c.sendAlone(ctx, p.Task, o); err != nil {
						return err
					}
					continue
				}
				c.producer.Send(ctx, c.catalog.topology.Topics[o.Topic].Name, o.Partition, o.Key, o.Value, o.Timestamp, o.Headers)
				c.out[o.Topic]++
			}
			return ctx.Err()
		})
		if err != nil {
			return err
		}
		stores := c.catalog.stores(p.Task)
		for r := range p.State.Changelog() {
			s := storeByID(stores, r.Store)
			sent := c.producer.Send(ctx, s.Changelog, p.Task.Partition, r.Key, r.Value, r.Timestamp, nil)
			if n := len(c.last); n > 0 && c.last[n-1].part == i && c.last[n-1].store == r.Store {
				c.last[n-1].record = sent
			} else {
				c.last = append(c.last, lastRecord{i, r.Store, sent})
			}
		}
	}
	return c.refused(c.producer.Flush(ctx))
}

// positions says how far the changelogs go with the epoch.
func (c *committer) positions(e *task.Epoch) {
	for _, l := range c.last {
		s := &e.Parts[l.part].State
		s.Changelogs = append(s.Changelogs, state.ChangelogPosition{Store: l.store, Next: l.record.Offset + 1})
	}
	c.last = c.last[:0]
	for i := range e.Parts {
		p := &e.Parts[i]
		for _, s := range c.catalog.stores(p.Task) {
			if s.Row == nil {
				continue
			}
			for j, next := range p.Next {
				if topic, _ := p.Task.Input(uint16(j)); topic == s.Changelog && next >= 0 {
					p.State.Changelogs = append(p.State.Changelogs, state.ChangelogPosition{Store: s.ID, Next: next})
				}
			}
		}
	}
}

// addOffsets makes the offsets a part of the transaction.
func (c *committer) addOffsets(ctx context.Context, e *task.Epoch) error {
	if !c.once {
		return nil
	}
	return c.fenced(e, func(m kafka.Member) error { return c.producer.AddOffsets(ctx, m, c.offsets) })
}

// end ends the transaction; with at_least_once, it commits the offsets of records that are there already.
func (c *committer) end(ctx context.Context, e *task.Epoch) error {
	if err := failpoint.Err("commit.end"); err != nil {
		return err
	}
	if c.once {
		return c.producer.End(ctx)
	}
	return c.fenced(e, func(m kafka.Member) error { return kafka.CommitOffsets(ctx, c.client, m, c.offsets) })
}

// commitOffsets commits an epoch that produced nothing.
func (c *committer) commitOffsets(ctx context.Context, e *task.Epoch) error {
	err := c.fenced(e, func(m kafka.Member) error { return kafka.CommitOffsets(ctx, c.client, m, c.offsets) })
	if err != nil && !errors.Is(err, task.ErrFenced) {
		return c.outcome(e, err)
	}
	if err == nil {
		failpoint.Hit("commit.plain")
	}
	return err
}

// fenced calls f with the member that the process is. During a rebalance the broker knows the next generation before the process
// does: then it is waited for, since the tasks are still the process's as long as the group does not take them away. Whether it
// has is looked at after the member was read: a new member's id comes after the loss of the old one's tasks.
func (c *committer) fenced(e *task.Epoch, f func(kafka.Member) error) error {
	deadline := time.Now().Add(rejoinTimeout)
	for {
		m := c.member()
		if err := c.allOwned(e); err != nil {
			return err
		}
		asked := time.Now()
		err := f(m)
		if err == nil {
			c.known = asked
		}
		if !kafka.IsFenced(err) {
			return err
		}
		if !kafka.IsRebalancing(err) { // not a member any more: the open transaction only keeps the heir waiting
			return &expelledError{m, err}
		}
		for c.member() == m {
			if err := c.allOwned(e); err != nil {
				return err
			}
			if time.Now().After(deadline) || c.ctx.Err() != nil {
				return fmt.Errorf("%w: %w", task.ErrFenced, err)
			}
			time.Sleep(2 * time.Millisecond)
		}
	}
}

// expelledError says that the group no longer knows the process as that member. It goes on as another one: until then whatever
// it did would be refused, and with at_least_once its outputs would be there all the same.
type expelledError struct {
	member kafka.Member
	err    error
}

func (e *expelledError) Error() string { return task.ErrFenced.Error() + ": " + e.err.Error() }

func (e *expelledError) Unwrap() []error { return []error{task.ErrFenced, e.err} }

func (c *committer) allOwned(e *task.Epoch) error {
	for i := range e.Parts {
		if !c.owned(e.Parts[i].Task) {
			return fmt.Errorf("%s: %w", e.Parts[i].Task, task.ErrFenced)
		}
	}
	return nil
}

// abort aborts the transaction for a cause that is known.
func (c *committer) abort(cause error) error {
	if err := c.producer.Abort(c.ctx); err != nil {
		return errors.Join(cause, err)
	}
	failpoint.Hit("commit.aborted")
	return cause
}

// outcome finds out whether an epoch is committed whose end failed with cause. It returns nil if it is.
func (c *committer) outcome(e *task.Epoch, cause error) error {
	c.stats.UnknownOutcomes.Add(1)
	// Whatever is open ends here, and no late request of the old client can change it any more.
	if c.once {
		if err := c.producer.Replace(c.ctx); err != nil {
			return errors.Join(cause, err)
		}
	}
	failpoint.Hit("commit.unknown")
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, 2*time.Second) {
		ctx, cancel := context.WithTimeout(c.ctx, commitTimeout)
		offsets, err := kafka.FetchOffsets(ctx, c.client, c.catalog.topology.App, c.offsets)
		cancel()
		if err == nil {
			return c.decide(offsets, cause)
		}
		c.log.Warn("cannot learn the outcome of a commit, trying again", "error", err)
		select {
		case <-c.ctx.Done():
			return errors.Join(cause, c.ctx.Err())
		case <-time.After(pause):
		}
	}
}

// decide compares what the group has committed with the epoch in hand. One offset that is there is enough: a transaction is
// all or nothing, and the others may be a new owner's already.
func (c *committer) decide(offsets []kafka.Offset, cause error) error {
	var newer error
	for i, o := range offsets {
		want := c.offsets[i]
		if o.At == want.At && o.Metadata == want.Metadata {
			c.log.Info("it was committed")
			return nil
		}
		if got := parseEpoch(o.Metadata); got >= parseEpoch(want.Metadata) {
			newer = fmt.Errorf("topic %s partition %d: another process has committed epoch %d: %w", o.Topic, o.Partition, got, task.ErrFenced)
		}
	}
	if newer != nil {
		return newer
	}
	return fmt.Errorf("it was not committed: %w", cause)
}

// tooLarge turns a record that no retry makes smaller into an error that stops the process.
func (c *committer) tooLarge(refused *kafka.RefusedError) error {
	for i := range c.catalog.topology.SubTopologies {
		for _, s := range c.catalog.topology.SubTopologies[i].Stores {
			if s.Changelog == refused.Record.Topic {
				return &RowTooLargeError{Store: s.Name, Topic: s.Changelog, Key: append([]byte(nil), refused.Record.Key...),
					Size: len(refused.Record.Value), Err: refused}
			}
		}
	}
	return &fatalError{refused}
}

// RowTooLargeError is a row that its changelog topic does not take. It stops the process: no retry makes it smaller.
type RowTooLargeError struct {
	Store, Topic string
	Key          []byte
	Size         int // bytes of the value
	Err          error
}

func (e *RowTooLargeError) Error() string {
	return fmt.Sprintf("store %q: the row of key %q has %d bytes, more than max.message.bytes of topic %s allows: raise it (topic_config), or keep less in a row: %v",
		e.Store, e.Key, e.Size, e.Topic, e.Err)
}

func (e *RowTooLargeError) Unwrap() error { return e.Err }

// fatalError is one that would come again for ever.
type fatalError struct{ error }

func (e *fatalError) Unwrap() error { return e.error }

// count adds a commit to the figures.
func (c *committer) count(e *task.Epoch, err error, commits interface{ Add(uint64) uint64 }, start time.Time) {
	switch {
	case err == nil:
		c.refusals.landed()
		commits.Add(1)
		c.stats.CommitNanos.Add(uint64(time.Since(start)))
		for i, n := range c.out {
			c.stats.Topics[i].Out.Add(n)
		}
		for i := range e.Parts {
			c.countInputs(&e.Parts[i])
		}
	case errors.Is(err, task.ErrFenced):
		c.stats.Fenced.Add(1)
		fallthrough
	default:
		c.stats.Aborts.Add(1)
	}
	c.out = c.out[:0]
}

func (c *committer) countInputs(p *task.Part) {
	for j, n := range p.Count {
		topic, _ := p.Task.Input(uint16(j))
		if in, ok := c.catalog.reader(topic); ok && in.index >= 0 {
			c.stats.Topics[in.index].In.Add(n)
		}
	}
}

// metadata is that of the offsets of a task's epoch: its number, and who commits it. Numbers alone would take the epoch of
// another owner for one's own.
func (c *committer) metadata(n uint64) string { return fmt.Sprintf("%s%d %s", epochPrefix, n, c.id) }

const epochPrefix = "streamgen epoch "

// parseEpoch is the number of the epoch that committed an offset; 0 if it was not committed by an epoch.
func parseEpoch(metadata string) uint64 {
	s, ok := strings.CutPrefix(metadata, epochPrefix)
	if !ok {
		return 0
	}
	s, _, _ = strings.Cut(s, " ")
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// storeByID finds a store.
func storeByID(stores []topology.Store, id uint16) *topology.Store {
	for i := range stores {
		if stores[i].ID == id {
			return &stores[i]
		}
	}
	panic("engine: a task has a store that its sub-topology does not declare")
}
