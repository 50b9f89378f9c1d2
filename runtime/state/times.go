package state

// Times are the partition times of a source: for each of the partitions that a task reads of it the greatest event time that came.
// They are clocks of a store that has no rows, so they go with the epochs and survive.
type Times struct {
	stores *Stores
	id     uint16
	topics []string
	clocks []*Clock
}

// NewTimes makes the store with that id.
func NewTimes(s *Stores, id uint16) *Times {
	s.add(id, noRows{})
	return &Times{stores: s, id: id}
}

// Seen takes the event time of a record of a topic and returns the time that it has: a negative one stands for none, and is
// replaced by that of the partition, if that is known.
func (t *Times) Seen(topic string, timestamp int64) int64 {
	c := t.of(topic)
	switch {
	case timestamp >= 0:
		c.Time = max(c.Time, timestamp)
	case c.Time != Never:
		return c.Time
	}
	return timestamp
}

func (t *Times) of(topic string) *Clock {
	for i, name := range t.topics {
		if name == topic {
			return t.clocks[i]
		}
	}
	t.topics = append(t.topics, topic)
	t.clocks = append(t.clocks, t.stores.Clock(t.id, topic))
	return t.clocks[len(t.clocks)-1]
}

// noRows is a store of clocks only.
type noRows struct{}

func (noRows) freeze(*Frozen)               {}
func (noRows) applied()                     {}
func (noRows) discard() error               { return nil }
func (noRows) memory() (held, pinned int64) { return 0, 0 }
func (noRows) evict(int64)                  {}
