package state

import (
	"fmt"
	"math"
	"slices"
)

// Never is the time of a clock that was never set.
const Never = math.MinInt64

// Clock is a named time of a store that must survive: the stream time of an operator, how far windows are closed, a cursor.
// It is saved with the epoch in which it moved, goes back at an abort, and travels in the store's changelog. Task
// goroutine.
type Clock struct {
	Time int64 // to be read and set

	name            string
	frozen, applied int64
}

// ClockValue is a saved clock.
type ClockValue struct {
	Store uint16
	Name  string
	Time  int64
}

// Clock registers the clock of that name of a store that was made before, at its saved time or at Never.
func (s *Stores) Clock(store uint16, name string) *Clock {
	c := &Clock{name: name, applied: Never}
	for _, v := range s.saved {
		if v.Store == store && v.Name == name {
			c.applied = v.Time
		}
	}
	c.Time, c.frozen = c.applied, c.applied
	i := slices.IndexFunc(s.list, func(e *entry) bool { return e.ID == store })
	s.list[i].clocks = append(s.list[i].clocks, c)
	return c
}

// freezeClocks adds the clocks that moved to f.
func (e *entry) freezeClocks(f *Frozen) (moved bool) {
	for _, c := range e.clocks {
		if c.Time != c.frozen {
			f.Clocks = append(f.Clocks, ClockValue{e.ID, c.name, c.Time})
			c.frozen, moved = c.Time, true
		}
	}
	return moved
}

// values are the clocks of a store as they were frozen.
func (e *entry) values() []ClockValue {
	var list []ClockValue
	for _, c := range e.clocks {
		if c.frozen != Never {
			list = append(list, ClockValue{e.ID, c.name, c.frozen})
		}
	}
	return list
}

// streamTimes are the clocks of a windowed operator: one for each of its inputs.
func streamTimes(s *Stores, id uint16, inputs int) []*Clock {
	clocks := []*Clock{s.Clock(id, "stream time")}
	for i := 1; i < inputs; i++ {
		clocks = append(clocks, s.Clock(id, fmt.Sprintf("stream time %d", i+1)))
	}
	return clocks
}

// slowest is the stream time that all inputs have passed.
func slowest(clocks []*Clock) int64 {
	t := clocks[0].Time
	for _, c := range clocks[1:] {
		t = min(t, c.Time)
	}
	return t
}
