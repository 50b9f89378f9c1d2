package oracle

import (
	"cmp"
	"slices"

	"github.com/streamgen/streamgen/spec/model"
)

// ttl is how long behind its timestamp a row of the table ends; 0: it does not.
func (t *table) ttl() int64 {
	if i := maker(t.block) + 1; i < len(t.block.Steps) {
		if s, ok := t.block.Steps[i].(*model.Store); ok {
			return s.TTL.Milliseconds()
		}
	}
	return 0
}

// age ends rows by the time of a record: in the order in which they end, then of the bytes of their keys. false: the record is so late
// that a row of it has ended.
func (o *Oracle) age(t *table, ts int64) bool {
	ttl := t.ttl()
	if ttl == 0 {
		return true
	}
	t.time = max(t.time, ts)
	var due []*row
	for _, r := range t.rows {
		if r.ts+ttl <= t.time {
			due = append(due, r)
		}
	}
	slices.SortFunc(due, func(a, b *row) int {
		return cmp.Or(cmp.Compare(a.ts, b.ts), cmp.Compare(bytesOf(t.block, a.key), bytesOf(t.block, b.key)))
	})
	for _, r := range due {
		o.change(t, nil, record{key: r.key, ts: r.ts + ttl})
	}
	return ts+ttl > t.time
}
