package oracle

import (
	"math"

	"github.com/streamgen/streamgen/spec/model"
)

func cogroupOf(b *model.Block) *model.Cogroup {
	for _, s := range b.Steps {
		if s, ok := s.(*model.Cogroup); ok {
			return s
		}
	}
	return nil
}

// cogroup adds a record of an input to the state. In windows each input has a clock of its own.
func (o *Oracle) cogroup(next reader, r record) {
	t := o.tables[next.block]
	add := func() {
		o.try("the step failed", next.fold.OnError, next.fold.Address, func() { o.make(t, next.fold, r) })
	}
	w := t.windows
	if w == nil {
		add()
		return
	}
	if w.times == nil {
		for range next.block.From {
			w.times = append(w.times, math.MinInt64)
		}
	}
	w.time, w.others = w.times[next.input], math.MaxInt64
	for i, x := range w.times {
		if i != next.input {
			w.others = min(w.others, x)
		}
	}
	add()
	w.times[next.input] = w.time
}

// passed is the time that all inputs have passed.
func (w *windowing) passed() int64 {
	if w.times == nil {
		return w.time
	}
	return min(w.time, w.others)
}
