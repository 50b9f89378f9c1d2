package oracle

import (
	"github.com/streamgen/streamgen/spec/model"
)

// eventTime gives a record of a source its time; ok is false if it ends for want of one.
func (o *Oracle) eventTime(b *model.Block, r *record) (ok bool) {
	t := b.Source.Time
	switch {
	case t == nil:
		return true
	case t.Processing || t.MaxFuture > 0:
		missing("the wall clock in %s", t.Address)
	}
	invalid := attempt(func() {
		if t.Field != nil {
			r.ts = o.eval(t.Field, scope{record: *r}).(int64)
		}
		if r.ts < 0 {
			fail("the timestamp is negative")
		}
	})
	known, seen := o.times[b]
	switch {
	case invalid == nil:
		o.times[b] = max(known, r.ts)
	case t.OnInvalid == model.InvalidPartitionTime && seen:
		r.ts = known
	case t.OnInvalid == model.InvalidSkips:
		o.drops["invalid time"]++
		return false
	default:
		o.try("bad input", model.Fail, t.Address, func() { panic(failure{invalid}) })
	}
	return true
}
