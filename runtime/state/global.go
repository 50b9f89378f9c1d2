package state

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync"

	"github.com/streamgen/streamgen/runtime/record"
)

// Global is the rows of a global table. Each process has all of them, in a database of its own: one task keeps them up to date
// (GlobalWriter), and all tasks look into them at any time (Get).
//
// Beside the database lie rows in their Go type, those that were looked up lately and, while there is room, all that came: as many as a
// quarter of the memory budget holds. They are divided by the hash of their keys into parts, each with a lock that is held for as long
// as it takes to find a row and copy it. Nothing that a row points at is ever written, so what was copied stays what it was.
//
// A row is that of the last epoch that is applied: a lookup sees what is in the database, never what the writer is about to change.
type Global[V any] struct {
	codec   Codec[V]
	entry   *entry
	backend Backend
	limit   int64 // bytes a part
	parts   [globalParts]globalPart[V]
	misses  sync.Pool // of *globalMiss[V]
}

const globalParts = 32

// globalPart is the rows whose keys have one hash in its first bits. A row may be absent: that there is none is remembered, too.
type globalPart[V any] struct {
	mu      sync.Mutex
	rows    table[V]
	flying  table[struct{}] // rows that the database is given a newer one of just now: what is read of it may be either, and is not kept
	changes uint64          // grows when that is over
	sweep   uint32          // the row that eviction looks at next
}

// globalMiss is the memory of a lookup in the database.
type globalMiss[V any] struct {
	key, src []byte
	row      Row[V]
}

// NewGlobal makes the rows of a global table. It is opened by its writer, before anybody looks something up.
func NewGlobal[V any](c Codec[V]) *Global[V] {
	g := &Global[V]{codec: c}
	g.misses.New = func() any { return &globalMiss[V]{} }
	return g
}

// Get copies the row of key to dst, if there is one. What the copy points at must not be written. Any goroutine may call it.
func (g *Global[V]) Get(key []byte, dst *V) (found bool, err error) {
	hash := hashOf(key)
	p := g.part(hash)
	p.mu.Lock()
	if r, _ := p.rows.find(hash, key); r != nil {
		r.used = true
		if found = !r.absent; found {
			*dst = r.Value
		}
		p.mu.Unlock()
		return found, nil
	}
	changes := p.changes
	p.mu.Unlock()
	return g.load(p, hash, key, changes, dst)
}

// part is the part of a hash. The table within goes by the last bits.
func (g *Global[V]) part(hash uint32) *globalPart[V] {
	return &g.parts[hash>>(32-5)]
}

// load is Get from the database. The row is kept, unless rows were changed since changes: it may be an old one then.
func (g *Global[V]) load(p *globalPart[V], hash uint32, key []byte, changes uint64, dst *V) (found bool, err error) {
	m := g.misses.Get().(*globalMiss[V])
	defer g.misses.Put(m)
	m.row = Row[V]{}
	m.key = appendKey(m.key[:0], g.entry.ID, key)
	src, found, err := g.backend.Get(m.src[:0], m.key)
	if err != nil {
		return false, fmt.Errorf("global table %q: read the row of key %q: %w", g.entry.Name, key, err)
	}
	m.src = src
	if found {
		if err := readRow(&g.codec, src, &m.row); err != nil {
			return false, fmt.Errorf("global table %q: decode the row of key %q: %w", g.entry.Name, key, err)
		}
		*dst = m.row.Value
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.changes != changes {
		return found, nil
	}
	if r, _ := p.flying.find(hash, key); r != nil {
		return found, nil
	}
	if r, _ := p.rows.find(hash, key); r != nil { // somebody else was faster
		return found, nil
	}
	if p.rows.memory() > g.limit {
		p.evict(g.limit)
	}
	r, _ := p.rows.insert(hash, key)
	if r.absent = !found; found {
		r.Value, r.Timestamp = m.row.Value, m.row.Timestamp
		p.rows.resize(r, uint32(len(src)-TimestampLen))
	}
	return found, nil
}

// takeOff takes a row out that the database is about to get a newer one of: nobody who has seen the newer one finds the older one here
// afterwards. land says that the database has it.
func (g *Global[V]) takeOff(key []byte) {
	hash := hashOf(key)
	p := g.part(hash)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flying.insert(hash, key)
	if r, n := p.rows.find(hash, key); r != nil {
		p.rows.remove(n)
	}
}

func (g *Global[V]) land(key []byte) {
	hash := hashOf(key)
	p := g.part(hash)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.land(hash, key)
}

func (p *globalPart[V]) land(hash uint32, key []byte) {
	p.changes++
	if r, n := p.flying.find(hash, key); r != nil {
		p.flying.remove(n)
	}
	p.flying.inserted = 0
	p.flying.trim()
}

// keep is land, and keeps the row that the database has now where there is room: a table that memory holds is not read from there again,
// row by row, as it is looked up. One that cannot be decoded is left to the lookup, which says so.
func (g *Global[V]) keep(key, row []byte) {
	hash := hashOf(key)
	p := g.part(hash)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.land(hash, key)
	if row == nil || p.rows.memory() >= g.limit {
		return
	}
	r, n := p.rows.insert(hash, key)
	if readRow(&g.codec, row, r) != nil {
		p.rows.remove(n)
		return
	}
	p.rows.resize(r, uint32(len(row)-TimestampLen))
}

// empty takes all rows out.
func (g *Global[V]) empty() {
	for i := range g.parts {
		p := &g.parts[i]
		p.mu.Lock()
		p.changes++
		p.rows, p.flying, p.sweep = table[V]{}, table[struct{}]{}, 0
		p.mu.Unlock()
	}
}

// memory is how many bytes the rows in their Go type take.
func (g *Global[V]) memory() (n int64) {
	for i := range g.parts {
		p := &g.parts[i]
		p.mu.Lock()
		n += p.rows.memory() + p.flying.memory()
		p.mu.Unlock()
	}
	return n
}

// evict takes rows out that were not used lately until what is left takes at most target bytes. It bounds its own work.
func (g *Global[V]) evict(target int64) {
	for i := range g.parts {
		p := &g.parts[i]
		p.mu.Lock()
		p.evict(max(target, 0) / globalParts)
		p.mu.Unlock()
	}
}

// evict is the clock of KeyValue.evict. All rows are in the database.
func (p *globalPart[V]) evict(target int64) {
	t := &p.rows
	work := minSweep/globalParts + sweepFactor*t.inserted
	t.inserted = 0
	for ; work > 0 && t.n > 0 && t.memory() > target; work-- {
		if p.sweep >= t.n {
			p.sweep = 0
		}
		if r := t.row(p.sweep); r.used {
			r.used = false
		} else {
			t.remove(p.sweep)
		}
		p.sweep++
	}
	t.trim()
}

// GlobalWriter changes the rows of a Global, as a store of the task that reads its topic. It belongs to the goroutine of that task.
// Changes are encoded at once and looked up once they are applied.
type GlobalWriter[V any] struct {
	rows            *Global[V]
	stores          *Stores
	entry           *entry
	count           *Clock        // how many rows there are, saved with them
	pending, flying globalChanges // of the epoch being processed, and of the one in flight
	key             []byte        // scratch
}

// globalChanges are changed rows by key, each once.
type globalChanges struct {
	rows  table[globalChange]
	arena record.Arena // of the encoded rows
}

type globalChange struct {
	row     []byte // timestamp · value; nil: deleted
	existed bool   // before the epoch
}

// Open begins to change the rows, which are those of the database of s.
func (g *Global[V]) Open(s *Stores, id uint16) *GlobalWriter[V] {
	w := &GlobalWriter[V]{rows: g, stores: s}
	w.entry = s.add(id, w)
	w.count = s.Clock(id, globalCount)
	g.entry, g.backend, g.limit = w.entry, s.backend, math.MaxInt64
	if b := s.account.budget; b != nil {
		g.limit = b.Limit() / 4 / globalParts
	}
	g.empty()
	return w
}

// globalCount is the clock that says how many rows a global table has.
const globalCount = "rows"

// Put makes value the row of key.
func (w *GlobalWriter[V]) Put(key []byte, value *V, timestamp int64) error {
	c, err := w.change(key)
	if err != nil {
		return err
	}
	a := &w.pending.arena
	c.Value.row = a.Keep(w.rows.codec.Append(binary.BigEndian.AppendUint64(a.Tail(), uint64(timestamp)), value))
	c.Timestamp = timestamp
	return nil
}

// Delete removes the row of key.
func (w *GlobalWriter[V]) Delete(key []byte, timestamp int64) error {
	c, err := w.change(key)
	if err != nil {
		return err
	}
	c.Value.row, c.Timestamp = nil, timestamp
	return nil
}

// change is the change of a key in the epoch being processed.
func (w *GlobalWriter[V]) change(key []byte) (*Row[globalChange], error) {
	hash := hashOf(key)
	if c, _ := w.pending.rows.find(hash, key); c != nil {
		return c, nil
	}
	var existed bool
	if c, _ := w.flying.rows.find(hash, key); c != nil {
		existed = c.Value.row != nil
	} else {
		w.key = appendKey(w.key[:0], w.entry.ID, key)
		var err error
		if _, existed, err = w.stores.get(w.key); err != nil {
			return nil, fmt.Errorf("global table %q: read the row of key %q: %w", w.entry.Name, key, err)
		}
	}
	c, _ := w.pending.rows.insert(hash, key)
	c.Value.existed = existed
	return c, nil
}

func (w *GlobalWriter[V]) freeze(f *Frozen) {
	count := int64(0)
	if w.count.Time != Never {
		count = w.count.Time
	}
	t := &w.pending.rows
	for i := range t.n {
		r := t.row(i)
		w.rows.takeOff(t.key(r))
		c := f.change(w.entry.ID, t.key(r), r.Timestamp)
		c.Row = r.Value.row // nobody writes it before the epoch is applied
		switch exists := r.Value.row != nil; {
		case exists && !r.Value.existed:
			count++
		case !exists && r.Value.existed:
			count--
		}
	}
	w.count.Time = count
	w.pending, w.flying = w.flying, w.pending
}

func (w *GlobalWriter[V]) applied() {
	t := &w.flying.rows
	for i := range t.n {
		r := t.row(i)
		w.rows.keep(t.key(r), r.Value.row)
	}
	w.flying.reset()
}

func (w *GlobalWriter[V]) discard() error {
	w.pending.reset()
	t := &w.flying.rows
	for i := range t.n { // applied or not: the database is asked
		w.rows.land(t.key(t.row(i)))
	}
	w.flying.reset()
	return nil
}

func (w *GlobalWriter[V]) memory() (held, pinned int64) {
	pinned = w.pending.memory() + w.flying.memory()
	return w.rows.memory() + pinned, pinned
}

func (w *GlobalWriter[V]) evict(target int64) {
	w.rows.evict(target - w.pending.memory() - w.flying.memory())
}

func (c *globalChanges) memory() int64 { return c.rows.memory() + int64(c.arena.Memory()) }

// reset forgets the changes and keeps little of their memory.
func (c *globalChanges) reset() {
	for c.rows.n > 0 {
		c.rows.remove(c.rows.n - 1)
		c.rows.trim()
	}
	c.rows.inserted = 0
	c.arena.Reset()
}

// GlobalRows is how many rows a global table has whose database has the checkpoint c.
func GlobalRows(c Checkpoint, store uint16) int64 {
	for _, v := range c.Clocks {
		if v.Store == store && v.Name == globalCount {
			return v.Time
		}
	}
	return 0
}
