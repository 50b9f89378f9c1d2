package oracle

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"slices"

	"github.com/streamgen/streamgen/spec/model"
)

// versions are those of the rows of a table with a history, by key and in the order of their times. A delete has the value nil. None
// is ever forgotten.
type versions struct {
	rows map[string][]*row
	time int64 // the greatest that came
}

// asOf is the version that was valid at a time, nil before the first one.
func (v *versions) asOf(key string, ts int64) (valid *row) {
	for _, x := range v.rows[key] {
		if x.ts <= ts {
			valid = x
		}
	}
	return valid
}

// known is asOf as far as the history goes: before it only a row that is still the newest is known.
func (t *table) known(key string, ts int64) *row {
	valid := t.versions.asOf(key, ts)
	if valid == nil || valid.value == nil || ts < t.versions.time-t.block.History.Milliseconds() && valid != t.versions.asOf(key, math.MaxInt64) {
		return nil
	}
	return valid
}

// putVersion makes a record a version of its row.
func (o *Oracle) putVersion(t *table, r record) {
	v := t.versions
	if r.ts < v.time-t.block.History.Milliseconds() {
		o.drops["late"]++
		return
	}
	v.time = max(v.time, r.ts)
	key := t.keyText(r.key)
	next := &row{key: r.key, value: r.value, ts: r.ts}
	valid := v.asOf(key, r.ts)
	same := valid != nil && valid.ts == r.ts && !differ(valid, next)
	if r.value == nil {
		same = len(v.rows[key]) == 0 || valid != nil && valid.value == nil
	}
	list := slices.DeleteFunc(slices.Clone(v.rows[key]), func(x *row) bool { return x.ts == r.ts })
	list = append(list, next)
	slices.SortFunc(list, func(a, b *row) int { return cmp.Compare(a.ts, b.ts) })
	if r.value == nil && valid != nil && valid.ts == r.ts && valid.value != nil && list[len(list)-1] == next && (len(list) == 1 || list[len(list)-2].value == nil) {
		list = list[:len(list)-1] // there was no row before
	}
	v.rows[key] = list
	older := len(list) > 0 && list[len(list)-1].ts > r.ts
	if same {
		switch {
		case !older:
			c := change{key: r.key, ts: r.ts, headers: r.headers, version: true}
			if r.value != nil {
				c.old, c.new = next, next
			}
			o.repeat(t.block, maker(t.block)+1, c)
		case o.joinsRows(t.block):
			o.drops["late"]++
		}
		return
	}
	c := change{key: r.key, ts: r.ts, headers: r.headers, version: true, older: older}
	if valid != nil && valid.value != nil {
		c.old = valid
	}
	if r.value != nil {
		c.new = next
	}
	o.changeRows(t.block, maker(t.block)+1, c)
}

// versionRows are the rows of a table with a history.
func (t *table) versionRows() (rows []Row) {
	for _, key := range slices.Sorted(maps.Keys(t.versions.rows)) {
		r := Row{Key: json.RawMessage(key), Value: json.RawMessage("null")}
		r.AsOf = func(ts int64) (json.RawMessage, int64) {
			if x := t.known(key, ts); x != nil {
				return encode(t.block.Out.Value, x.value), x.ts
			}
			return json.RawMessage("null"), 0
		}
		r.Value, r.Timestamp = r.AsOf(math.MaxInt64)
		rows = append(rows, r)
	}
	return rows
}

// joinsRows says whether the rows of a block are joined with others, with nothing but filters and maps before.
func (o *Oracle) joinsRows(b *model.Block) bool {
	return slices.ContainsFunc(o.readers[b.Address()], func(x reader) bool {
		if x.rows != nil {
			return true
		}
		if x.block == nil || !ofTable(x.block) {
			return false
		}
		for _, s := range x.block.Steps {
			switch s.(type) {
			case *model.TableJoin:
				return true
			case *model.Filter, *model.MapValues:
				continue
			}
			return false
		}
		return o.joinsRows(x.block)
	})
}
