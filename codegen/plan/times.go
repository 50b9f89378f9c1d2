package plan

import "github.com/streamgen/streamgen/spec/model"

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
	if t == nil {
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
