package pair

import (
	"encoding/binary"
	"sync"

	"github.com/streamgen/streamgen/runtime/record"
)

// global looks orders up in prices that all tasks of the process share.
type global struct {
	table
	mu sync.RWMutex // of rows
}

func newGlobal(d *disk) counter { return &global{table: table{disk: d, rows: map[string]*row{}}} }
func newColdGlobal(d *disk) counter {
	return &global{table: table{disk: d, rows: map[string]*row{}, limit: million / 10}}
}

func (g *global) process(r *record.Record) {
	if r.Source == 0 {
		g.mu.Lock()
		g.table.process(r)
		g.mu.Unlock()
		return
	}
	if price, ok := g.price(r.Key); ok {
		g.send(r.Key, int64(binary.BigEndian.Uint64(r.Value))+price, r.Timestamp)
	}
}

func (g *global) price(key []byte) (price int64, ok bool) {
	g.mu.RLock()
	w := g.rows[string(key)]
	if w != nil {
		price = w.n
	}
	g.mu.RUnlock()
	if w != nil {
		return price, true
	}
	if w = g.fetch(key); w == nil {
		return 0, false
	}
	g.mu.Lock()
	g.rows[w.key] = w
	g.mu.Unlock()
	return w.n, true
}

func (g *global) commit() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.table.commit()
}
