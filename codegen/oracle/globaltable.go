package oracle

import (
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// putGlobal makes a record the row of its key in a global table; a null takes it away. Nothing follows from it.
func (o *Oracle) putGlobal(b *model.Block, r record) {
	key := string(encode(b.Out.Key, r.key))
	if o.globals[b] == nil {
		o.globals[b] = map[string]any{}
	}
	if r.value == nil {
		delete(o.globals[b], key)
		return
	}
	o.globals[b][key] = r.value
}

// globalJoin looks the row up that on names. Records without a value end, and those without a key to look up or a row unless the join is
// left.
func (o *Oracle) globalJoin(s *model.GlobalJoin, r record) (record, bool) {
	if r.value == nil {
		o.drops["null value"]++
		return r, false
	}
	env := scope{record: r, joined: map[string]any{s.As: nil}}
	on := o.eval(s.On, scope{record: r})
	if on == nil && !s.Left {
		o.drops["null key"]++
		return r, false
	}
	if on != nil {
		row, found := o.globals[s.With][string(encode(types.NonNull(s.On.Base().Type), on))]
		if !found && !s.Left {
			return r, false
		}
		if found {
			env.joined[s.As] = row
		}
	}
	r.value = o.eval(s.Value, env)
	return r, true
}
