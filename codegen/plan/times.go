package plan

import (
	"slices"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// EventTime gives a record its event time, or ends it. It stands behind the first look at the record, and before anything else.
type EventTime struct {
	OpBase
	*model.Time
	Store  *Store    // of partition times; nil unless a record without a time has that
	Future *Position // of the block: a record beyond MaxFuture is bad input
}

// eventTime is the time block of the source that n is, or nil.
func (n *node) eventTime() *model.Time {
	if n.kind != sourceNode {
		return nil
	}
	return n.block.Source.Time
}

// partitionTimes says whether the source remembers the times of its partitions.
func (n *node) partitionTimes() bool {
	t := n.eventTime()
	return t != nil && t.OnInvalid == model.InvalidPartitionTime
}

// eventTime writes what gives a record of a source its time.
func (r *run) eventTime(n *node) {
	t := n.eventTime()
	if t == nil || t.OnInvalid == 0 && !t.Processing {
		return
	}
	policy := model.Fail
	switch t.OnInvalid {
	case model.InvalidSkips:
		policy = model.Skip
	case model.InvalidBuries:
		policy = model.DeadLetter
	}
	op := &EventTime{Time: t, Store: n.store}
	if t.MaxFuture > 0 {
		op.Future = r.p.blockPosition(n.block)
	}
	r.add(op, r.p.position(t.Address, t.Pos, policy), nil, func(out *State) { out.Timestamp = true })
}

// turns says whether the records of a source take their turns by a time that is not their timestamp: where there are other inputs. What
// calls code of the user's is not asked for out of turn.
func (n *node) turns() bool {
	t := n.eventTime()
	if t == nil || t.Field == nil && !t.Processing && t.MaxFuture == 0 || t.Field != nil && model.CallsUser(t.Field) {
		return false
	}
	return len(n.sub.Sources) > 1 || len(n.block.Source.Topics) > 1 || n.block.Source.Pattern != ""
}

// turn is the Func that works out when a record takes its turn. It refuses nothing: that is left to when it is processed.
func (f *fusion) turn(s *start) {
	n, t, r := s.node, s.node.eventTime(), f.asRead(s)
	var d need
	if t.Field != nil {
		reads := reader{n: &d, key: n.rawKey, value: n.rawValue}
		reads.read(t.Field)
	}
	if d.key || d.value {
		op := &Decode{Key: d.key, Value: d.value}
		if v, ok := types.NonNull(n.reader.Value).(*types.Record); ok && d.value {
			op.Fields = slices.Clip(d.build.list(v))
		}
		r.add(op, n.source.At, nil, func(out *State) {
			out.Key.Typed = d.key
			if out.Value.Typed = d.value; d.value {
				out.Value.Fields = op.Fields
			}
		})
	}
	turn := &EventTime{Time: t}
	if t.MaxFuture > 0 {
		turn.Future = f.p.blockPosition(n.block)
	}
	r.add(turn, f.p.position(t.Address, t.Pos, model.Fail), nil, func(out *State) { out.Timestamp = true })
}
