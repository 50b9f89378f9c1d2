package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Member is who commits: the broker refuses a member that is not of the group's generation. A Member without an ID would be
// accepted unchecked, so it is an error here.
type Member struct {
	Group      string
	ID         string
	Instance   string // static membership; empty: none
	Generation int32
}

func (m Member) instance() *string {
	if m.Instance == "" {
		return nil
	}
	return &m.Instance
}

var errNoMember = errors.New("no member of the group")

// Offset is the position of a group in a topic partition.
type Offset struct {
	Topic     string
	TopicID   [16]byte
	Partition int32
	At        int64
	Metadata  string
}

// SortOffsets sorts by topic and partition, which is how the functions below want them.
func SortOffsets(offsets []Offset) {
	slices.SortFunc(offsets, func(a, b Offset) int {
		return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
	})
}

// IsFenced says that the group refused a member because it is not, or no more, of the current generation.
func IsFenced(err error) bool {
	for _, e := range []error{
		kerr.IllegalGeneration, kerr.UnknownMemberID, kerr.FencedInstanceID, kerr.StaleMemberEpoch, kerr.FencedMemberEpoch,
		errNoMember,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// IsRebalancing says that a refused member may be of a generation that is about to end: it is still of the group.
func IsRebalancing(err error) bool {
	return errors.Is(err, kerr.IllegalGeneration) || errors.Is(err, kerr.StaleMemberEpoch)
}

// AddOffsets makes offsets a part of the open transaction, fenced by the member's generation. It must have a record, too:
// a transaction without one is not ended by the client and would leave the offsets pending.
func (p *Producer) AddOffsets(ctx context.Context, m Member, offsets []Offset) error {
	if m.ID == "" || m.Generation < 0 {
		return errNoMember
	}
	id, epoch, err := p.client.ProducerID(ctx) // the epoch grows with each transaction
	if err != nil {
		return err
	}
	add := kmsg.NewPtrAddOffsetsToTxnRequest()
	add.TransactionalID, add.ProducerID, add.ProducerEpoch, add.Group = p.config.Transactional, id, epoch, m.Group
	err = again(ctx, func() error {
		resp, err := add.RequestWith(ctx, p.client)
		if err != nil {
			return err
		}
		return kerr.ErrorForCode(resp.ErrorCode)
	})
	if err != nil {
		return fmt.Errorf("add offsets to transaction: %w", err)
	}
	req := kmsg.NewPtrTxnOffsetCommitRequest()
	req.TransactionalID, req.Group, req.ProducerID, req.ProducerEpoch = p.config.Transactional, m.Group, id, epoch
	req.MemberID, req.Generation, req.InstanceID = m.ID, m.Generation, m.instance()
	for i := range offsets {
		o := &offsets[i]
		if i == 0 || o.Topic != offsets[i-1].Topic {
			t := kmsg.NewTxnOffsetCommitRequestTopic()
			t.Topic, t.TopicID = o.Topic, o.TopicID
			req.Topics = append(req.Topics, t)
		}
		part := kmsg.NewTxnOffsetCommitRequestTopicPartition()
		part.Partition, part.Offset, part.Metadata = o.Partition, o.At, &o.Metadata
		t := &req.Topics[len(req.Topics)-1]
		t.Partitions = append(t.Partitions, part)
	}
	err = again(ctx, func() error {
		resp, err := req.RequestWith(ctx, p.client)
		if err != nil {
			return err
		}
		for _, t := range resp.Topics {
			for _, part := range t.Partitions {
				if err := kerr.ErrorForCode(part.ErrorCode); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("commit offsets in transaction: %w", err)
	}
	return nil
}

// CommitOffsets commits offsets outside of a transaction, fenced by the member's generation. It is repeated until the answer
// is definite or ctx is done: the same offsets again change nothing.
func CommitOffsets(ctx context.Context, client *kgo.Client, m Member, offsets []Offset) error {
	if m.ID == "" || m.Generation < 0 {
		return errNoMember
	}
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Group, req.MemberID, req.Generation, req.InstanceID = m.Group, m.ID, m.Generation, m.instance()
	for i := range offsets {
		o := &offsets[i]
		if i == 0 || o.Topic != offsets[i-1].Topic {
			t := kmsg.NewOffsetCommitRequestTopic()
			t.Topic, t.TopicID = o.Topic, o.TopicID
			req.Topics = append(req.Topics, t)
		}
		part := kmsg.NewOffsetCommitRequestTopicPartition()
		part.Partition, part.Offset, part.Metadata = o.Partition, o.At, &o.Metadata
		t := &req.Topics[len(req.Topics)-1]
		t.Partitions = append(t.Partitions, part)
	}
	err := again(ctx, func() error {
		resp, err := req.RequestWith(ctx, client)
		if err != nil {
			return err
		}
		for _, t := range resp.Topics {
			for _, part := range t.Partitions {
				if err := kerr.ErrorForCode(part.ErrorCode); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("commit offsets: %w", err)
	}
	return nil
}

// Heartbeat asks the broker whether the group still has the member in its generation. A rebalance that has begun changes nothing
// about that yet.
func Heartbeat(ctx context.Context, client *kgo.Client, m Member) error {
	if m.ID == "" || m.Generation < 0 {
		return errNoMember
	}
	req := kmsg.NewPtrHeartbeatRequest()
	req.Group, req.MemberID, req.Generation, req.InstanceID = m.Group, m.ID, m.Generation, m.instance()
	err := again(ctx, func() error {
		resp, err := req.RequestWith(ctx, client)
		if err != nil {
			return err
		}
		if err = kerr.ErrorForCode(resp.ErrorCode); errors.Is(err, kerr.RebalanceInProgress) {
			return nil
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("heartbeat: %w", err)
	}
	return nil
}

// FetchOffsets reads the committed offsets of a group for the given partitions, with their metadata. Offsets that an open
// transaction is about to change are waited for. At is -1 where nothing is committed.
func FetchOffsets(ctx context.Context, client *kgo.Client, group string, of []Offset) ([]Offset, error) {
	req := kmsg.NewPtrOffsetFetchRequest()
	req.RequireStable = true
	g := kmsg.NewOffsetFetchRequestGroup()
	g.Group = group
	for i := range of { // partitions are named: without names those with pending offsets only would be left out
		o := &of[i]
		if i == 0 || o.Topic != of[i-1].Topic {
			t := kmsg.NewOffsetFetchRequestGroupTopic()
			t.Topic, t.TopicID = o.Topic, o.TopicID
			g.Topics = append(g.Topics, t)
		}
		t := &g.Topics[len(g.Topics)-1]
		t.Partitions = append(t.Partitions, o.Partition)
	}
	req.Groups = append(req.Groups, g)
	// Below version 8 a request has one group, in fields of its own.
	req.Group = group
	for _, t := range g.Topics {
		old := kmsg.NewOffsetFetchRequestTopic()
		old.Topic, old.Partitions = t.Topic, t.Partitions
		req.Topics = append(req.Topics, old)
	}
	out := append([]Offset(nil), of...)
	err := again(ctx, func() error {
		resp, err := req.RequestWith(ctx, client)
		if err != nil {
			return err
		}
		for i := range out {
			out[i].At, out[i].Metadata = -1, ""
		}
		return readOffsets(resp, out)
	})
	if err != nil {
		return nil, fmt.Errorf("fetch committed offsets: %w", err)
	}
	return out, nil
}

// readOffsets fills in At and Metadata from a response.
func readOffsets(resp *kmsg.OffsetFetchResponse, out []Offset) error {
	if len(resp.Groups) == 0 {
		if err := kerr.ErrorForCode(resp.ErrorCode); err != nil {
			return err
		}
		for _, t := range resp.Topics {
			for _, p := range t.Partitions {
				if err := readOffset(out, t.Topic, [16]byte{}, p.Partition, p.Offset, p.Metadata, p.ErrorCode); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for _, g := range resp.Groups {
		if err := kerr.ErrorForCode(g.ErrorCode); err != nil {
			return err
		}
		for _, t := range g.Topics {
			for _, p := range t.Partitions {
				if err := readOffset(out, t.Topic, t.TopicID, p.Partition, p.Offset, p.Metadata, p.ErrorCode); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func readOffset(out []Offset, topic string, id [16]byte, partition int32, at int64, metadata *string, code int16) error {
	if err := kerr.ErrorForCode(code); err != nil {
		return err
	}
	for i := range out {
		o := &out[i]
		if o.Partition == partition && (topic != "" && o.Topic == topic || topic == "" && o.TopicID == id) {
			o.At = at
			if metadata != nil {
				o.Metadata = *metadata
			}
		}
	}
	return nil
}

// again repeats f while it fails for a reason that passes: an error that is not Kafka's is the connection's, and a
// transaction that is still ending or offsets that are not stable yet are waited for.
func again(ctx context.Context, f func() error) error {
	for pause := time.Millisecond; ; pause = min(2*pause, 250*time.Millisecond) {
		err := f()
		if err == nil || !passes(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-time.After(pause):
		}
	}
}

func passes(err error) bool {
	ke, ok := errors.AsType[*kerr.Error](err)
	if !ok {
		return !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, kgo.ErrClientClosed)
	}
	return ke.Retriable || ke == kerr.UnstableOffsetCommit || ke == kerr.ConcurrentTransactions || ke == kerr.RebalanceInProgress
}

// What ListOffsets can be asked for in place of a timestamp in milliseconds.
const (
	End   int64 = -1 // of what a committed read sees: the first open transaction ends it
	Start int64 = -2
)

// DeleteBefore deletes the records of partitions before their offsets. One that is gone already, or that goes on living somewhere
// else, is no error.
func DeleteBefore(ctx context.Context, client *kgo.Client, of []Offset) error {
	before := kadm.Offsets{}
	for _, o := range of {
		before.AddOffset(o.Topic, o.Partition, o.At, -1)
	}
	deleted, err := kadm.NewClient(client).DeleteRecords(ctx, before)
	if err != nil {
		return err
	}
	deleted.Each(func(r kadm.DeleteRecordsResponse) {
		if r.Err != nil && !errors.Is(r.Err, kerr.OffsetOutOfRange) && err == nil {
			err = fmt.Errorf("delete the records of %s partition %d before offset %d: %w", r.Topic, r.Partition, before[r.Topic][r.Partition].At, r.Err)
		}
	})
	return err
}

// ListOffsets asks for the offsets that At of each stands for: End, Start, or the first record of that time or later (the end,
// if there is none).
func ListOffsets(ctx context.Context, client *kgo.Client, of []Offset) ([]Offset, error) {
	return listOffsets(ctx, client, of, 1)
}

// ListAppended is ListOffsets, of which End is behind the records of open transactions, too.
func ListAppended(ctx context.Context, client *kgo.Client, of []Offset) ([]Offset, error) {
	return listOffsets(ctx, client, of, 0)
}

func listOffsets(ctx context.Context, client *kgo.Client, of []Offset, isolation int8) ([]Offset, error) {
	out := append([]Offset(nil), of...)
	var byTime []int
	err := again(ctx, func() error {
		byTime = byTime[:0]
		req := kmsg.NewPtrListOffsetsRequest()
		req.ReplicaID, req.IsolationLevel = -1, isolation
		for _, o := range of {
			i := slices.IndexFunc(req.Topics, func(t kmsg.ListOffsetsRequestTopic) bool { return t.Topic == o.Topic })
			if i < 0 {
				t := kmsg.NewListOffsetsRequestTopic()
				t.Topic = o.Topic
				req.Topics = append(req.Topics, t)
				i = len(req.Topics) - 1
			}
			p := kmsg.NewListOffsetsRequestTopicPartition()
			p.Partition, p.Timestamp = o.Partition, o.At
			req.Topics[i].Partitions = append(req.Topics[i].Partitions, p)
		}
		resp, err := req.RequestWith(ctx, client)
		if err != nil {
			return err
		}
		for i, o := range of {
			found := false
			for _, t := range resp.Topics {
				for _, p := range t.Partitions {
					if t.Topic != o.Topic || p.Partition != o.Partition {
						continue
					}
					if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
						return err
					}
					out[i].At, found = p.Offset, true
				}
			}
			if !found {
				return kerr.UnknownTopicOrPartition
			}
			if out[i].At < 0 {
				byTime = append(byTime, i)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list offsets: %w", err)
	}
	if len(byTime) > 0 { // no record that late
		var end []Offset
		for _, i := range byTime {
			o := of[i]
			o.At = End
			end = append(end, o)
		}
		if end, err = ListOffsets(ctx, client, end); err != nil {
			return nil, err
		}
		for n, i := range byTime {
			out[i].At = end[n].At
		}
	}
	return out, nil
}
