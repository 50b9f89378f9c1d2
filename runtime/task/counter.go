package task

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
)

// Counter counts on the task's goroutine without synchronisation. What it counted in an epoch is published when the epoch
// has been committed and taken back when it aborts: a record that is processed again counts once.
type Counter struct {
	n     uint64 // in the running epoch
	total *atomic.Uint64
}

// Inc adds one.
func (c *Counter) Inc() { c.n++ }

// Add adds several.
func (c *Counter) Add(n uint64) { c.n += n }

// Counter registers the counter of drops for one reason at a step. Called while the code of the task is made.
func (t *Task) Counter(reason string, at At) *Counter {
	return t.counter(&t.drops.list, reason, at)
}

// Outcome registers the counter of results of a join: "matched", or "unmatched" for what has met nothing, whether that goes on
// alone or ends. Called while the code of the task is made.
func (t *Task) Outcome(outcome string, at At) *Counter {
	return t.counter(&t.drops.outcomes, outcome, at)
}

func (t *Task) counter(list *[]*drop, reason string, at At) *Counter {
	c := &Counter{total: t.drops.total(list, reason, at)}
	t.counters = append(t.counters, c)
	return c
}

// Drops are the records that were not processed, by reason and position, over all tasks of a process, and the outcomes of joins.
type Drops struct {
	mu       sync.Mutex
	list     []*drop
	outcomes []*drop
}

// Drop is one count of Drops.
type Drop struct {
	Reason string
	At     At
	Count  uint64
}

type drop struct {
	reason string
	at     At
	n      atomic.Uint64
}

// List is a copy, by position and reason.
func (d *Drops) List() []Drop { return d.copy(&d.list) }

// Outcomes is a copy of the outcomes of joins, with those as reasons, by position.
func (d *Drops) Outcomes() []Drop { return d.copy(&d.outcomes) }

func (d *Drops) copy(of *[]*drop) []Drop {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := make([]Drop, len(*of))
	for i, x := range *of {
		list[i] = Drop{x.reason, x.at, x.n.Load()}
	}
	return list
}

// total is the counter that all tasks share for one reason and step.
func (d *Drops) total(list *[]*drop, reason string, at At) *atomic.Uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	i, found := slices.BinarySearchFunc(*list, at, func(x *drop, at At) int {
		return cmp.Or(cmp.Compare(x.at, at), cmp.Compare(x.reason, reason))
	})
	if !found {
		*list = slices.Insert(*list, i, &drop{reason: reason, at: at})
	}
	return &(*list)[i].n
}
