package oracle

import "github.com/streamgen/streamgen/spec/model"

// shows says whether a step that makes groups shows that a row was taken away and added as it was.
func shows(making model.Step) bool {
	switch making.(type) {
	case *model.Reduce, *model.Fold:
		return true
	}
	return false
}

// again is a change that steps have made to one that changes nothing.
func again(c change) change {
	c.old, c.worked = c.new, true
	return c
}

// repeat takes a row that stays as it was to the groups that show it, those of reduce and fold, and it and the delete of one that was
// not there to joins by a foreign key: whoever is subscribed may wait for it.
func (o *Oracle) repeat(b *model.Block, from int, c change) {
	for i := from; i < len(b.Steps); i++ {
		switch s := b.Steps[i].(type) {
		case *model.Filter, *model.MapValues:
			c.new = o.onRow(s, c.key, c.new, false)
			c.old, c.worked = c.new, true
		case *model.GroupBy:
			if shows(b.Steps[i+1]) {
				o.regroup(b, i, s, c)
			}
			return
		case *model.TableJoin:
			if s.On != nil {
				o.subscribe(b, i, c)
			}
			return
		case *model.Suppress:
			if !c.worked && !c.version && !(s.Close && c.put) {
				o.changeRows(b, i, c)
			}
			return
		case *model.Store:
			if i-1 != maker(b) && sharedJoin(b, i-1) {
				return
			}
			c.worked = c.worked || i-1 != maker(b)
		default:
			return
		}
	}
	for _, next := range o.readers[b.Address()] {
		if next.rows != nil && next.rows.On != nil && next.rows.Kind == model.Inner {
			o.tell(next.block, next.at, c)
		}
		if next.block != nil && next.rows == nil && next.join == nil && ofTable(next.block) {
			o.repeat(next.block, 0, c)
		}
	}
}
