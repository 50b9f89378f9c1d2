package oracle

import "github.com/streamgen/streamgen/spec/model"

// stored says whether a store keeps the rows there, behind a step that works on them.
func (at place) stored() bool {
	if at.step < 1 || at.step >= len(at.block.Steps) || at.step-1 == maker(at.block) {
		return false
	}
	_, ok := at.block.Steps[at.step].(*model.Store)
	return ok
}

// window is that of the rows there, which a store lets go. Rows of sessions lie by their whole keys, and stay.
func (at place) window(key any) (k inWindow, w *model.Window, ok bool) {
	if k, ok = key.(inWindow); !ok || !at.stored() {
		return k, nil, false
	}
	w = windowOf(at.block)
	return k, w, w != nil && w.Kind != model.Session && w.Kind != model.Unlimited
}

// letGo says whether the store there has let the row of a key go: by the latest window that it got a row of.
func (o *Oracle) letGo(at place, key any) bool {
	k, w, ok := at.window(key)
	latest, any := o.latest[at]
	return ok && any && k.start <= latest-w.Retention.Milliseconds()
}

// brought moves the time of the store there by a row that it gets.
func (o *Oracle) brought(at place, key any) {
	if k, _, ok := at.window(key); ok {
		latest, any := o.latest[at]
		if !any || k.start > latest {
			o.latest[at] = k.start
		}
	}
}

// sharedJoin says whether step i joins a table with what is made of the same rows, so that one change changes both sides: that of one side
// comes through rows that the other side is worked out from.
func sharedJoin(b *model.Block, i int) bool {
	if i < 0 {
		return false
	}
	j, ok := b.Steps[i].(*model.TableJoin)
	if !ok || j.On != nil {
		return false
	}
	meets := func(looked *model.Block, k int, changed *model.Block, l int) bool {
		through := map[*model.Block]bool{}
		madeOf(changed, l, through, false)
		bases := map[*model.Block]bool{}
		madeOf(looked, k, bases, true)
		for base := range bases {
			if through[base] {
				return true
			}
		}
		return false
	}
	all := len(j.With.Steps)
	return meets(b, i, j.With, all) || meets(j.With, all, b, i)
}

// madeOf adds the tables that what leaves the steps before step i is made of: as far as those that keep their rows, or all.
func madeOf(b *model.Block, i int, all map[*model.Block]bool, bases bool) {
	made := maker(b)
	if made != -2 {
		all[b] = true
	}
	for k, s := range b.Steps[:i] {
		if j, ok := s.(*model.TableJoin); ok && (k > made || !bases) {
			madeOf(j.With, len(j.With.Steps), all, bases)
		}
	}
	if made != -2 && bases {
		return
	}
	for _, r := range b.From {
		madeOf(r.Block, len(r.Block.Steps), all, bases)
	}
}
