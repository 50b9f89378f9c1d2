package task

import (
	"slices"
	"time"

	"github.com/streamgen/streamgen/runtime/temporal"
)

// This file is how stream time passes without records. A source is silent from when its last record was processed to when its
// end was asked for, if nothing lay behind it then: a fetch that stalls proves nothing. A topic that the program writes
// itself is silent only if nothing was on its way there, too. Once all sources of a store have been silent for their idle time, its
// stream time has moved on by as much as they were, and goes on in steps of that length: as if a record of the time that has passed
// had come, and no farther.

// Passing is a store with rows that leave by stream time.
type Passing interface {
	Pass(by int64) // milliseconds
}

// passing is a store and the sources that move its clock.
type passing struct {
	store   Passing
	behind  int64   // nanoseconds
	sources []uint8 // none: all
	until   int64   // how far time has passed; nanoseconds
}

// Idle lets the stream time of a store pass while sources are silent: those given, or all. behind is how long what comes to the store may
// have been held back by others on the way: so much longer it waits. Called while the code of the task is made.
func (t *Task) Idle(store Passing, behind temporal.Duration, sources ...uint8) {
	t.passing = append(t.passing, passing{store: store, behind: int64(behind) * int64(time.Millisecond), sources: sources})
}

// pass lets stream time pass where sources have been silent, and says whether it has. What is due leaves when the code is called next.
func (t *Task) pass(now int64) (passed bool) {
	for i := range t.passing {
		p := &t.passing[i]
		from, to, idle := t.inputs.silence(p.sources, now)
		from = max(from+p.behind, p.until)
		if idle == 0 || to-from < idle {
			continue
		}
		by := (to - from) / int64(time.Millisecond)
		p.until = from + by*int64(time.Millisecond)
		p.store.Pass(by)
		passed = true
	}
	return passed
}

// silence is from when to when none of the sources had a record, as far as that is proven, and the longest of their idle times: 0 if
// stream time does not pass.
func (in *Inputs) silence(sources []uint8, now int64) (from, to, idle int64) {
	to = now
	for i := range in.list {
		x := &in.list[i]
		if len(sources) > 0 && !slices.Contains(sources, x.Source) {
			continue
		}
		if x.Idle == 0 || len(x.chunks) > 0 || in.waiting > 0 {
			return 0, 0, 0
		}
		if x.since == 0 {
			x.since = now
		}
		if x.fetched < x.settled.end {
			return 0, 0, 0
		}
		from, to, idle = max(from, x.since), min(to, x.settled.asked), max(idle, x.Idle)
	}
	return from, to, idle
}

// unproven says that it would be good to know whether the input is silent.
func (x *input) unproven(now int64) bool {
	return x.Idle > 0 && x.since > 0 && now-max(x.since, x.settled.asked) >= x.Idle
}

// SetSettled says that nothing lay behind offset end of input i, or was on its way there, at the given time.
func (in *Inputs) SetSettled(i uint16, end, asked int64) { in.list[i].settled = proof{end, asked} }

// Unsettled appends the inputs that the program itself writes of which has to be known whether something is on its way there.
func (in *Inputs) Unsettled(dst []uint16, now int64) []uint16 {
	for i := range in.list {
		if x := &in.list[i]; x.Fed && len(x.chunks) == 0 && x.unproven(now) {
			dst = append(dst, uint16(i))
		}
	}
	return dst
}
