package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"
)

// span is where a row of a key lies: its time, by which rows are in order, and the start of a session, whose time is its end. The
// number of a session tells those apart that would lie at one place: see buckets.
type span struct {
	time, start int64
	row         uint32 // where it is in memory: its number there + 1; 0: it is not
	nth         uint8
}

func compareSpans(a, b span) int {
	switch {
	case a.time != b.time && a.time < b.time, a.time == b.time && a.start < b.start:
		return -1
	case a.time == b.time && a.start == b.start:
		return 0
	}
	return 1
}

// places are the rows of one key, as the running epoch has them: in memory or not, all of them are listed here, of sessions those
// that lie in the bucket since or behind it.
//
// They are 128 bytes, two lines of a cache, with all that most keys need: one row, and a short key.
type places struct {
	key    string
	spans  []span // in order
	since  int64  // a bucket
	mark   uint32 // the freeze that takes the last change of spans along: until it is applied, the backend does not tell them
	number uint32 // in directory.numbers
	dead   int32  // the last of its rows in directory.dead, + 1; 0: there is none
	used   bool   // since the sweep came by
	gone   bool   // out of the directory; queues may still refer to it
	stale  bool   // a queue may have entries of it that do not count

	leaving ticket // notIn: in the queue of what leaves it has none
	ending  int64
	room    [1]span        // of spans, as long as they fit
	short   [shortKey]byte // of key, if it fits
}

// shortKey is how long a key may be that lies with its places.
const shortKey = 16

// deadRow is a row that was deleted in this epoch. One that comes there again is the same.
type deadRow struct {
	of     *places
	at     span
	place  uint32 // among the changed rows of the table
	before int32  // another one of the key
}

// directory finds the rows of a key. It holds the keys whose rows were asked for lately; what it does not hold is read from
// the index of the backend.
type directory struct {
	stores *Stores
	id     uint16
	name   string
	times  int      // bytes
	by     *buckets // nil: the backend has an index

	keys    keyTable
	numbers []*places
	unused  []uint32 // of numbers
	dead    []deadRow
	forget  func(n uint32) // takes a row out of memory
	all     whole          // it holds every key that has rows
	hand    int            // of the sweep, a slot of keys
	held    int64          // memory
	dirty   int64          // memory of keys changed in the epoch being processed
	flying  int64          // of those in the epoch in flight
	evicted int            // how often keys were evicted
	idle    []*places
	free    []*places // out of the directory, to be used again, until memory is short

	touched int64 // of places, so that they are in the caches

	from, to, rowScratch []byte
}

// numberLen is how much of a row's key in memory is the number of its key.
const numberLen = 4

// rowKey is the key in memory of a row: the number of its key and its times, which fit into the row. It is valid until the next call.
func (d *directory) rowKey(p *places, s span) []byte {
	d.rowScratch = d.appendSpan(binary.LittleEndian.AppendUint32(d.rowScratch[:0], p.number), s)
	return d.rowScratch
}

// split takes apart what rowKey made.
func (d *directory) split(rowKey []byte) (*places, span) {
	return d.numbers[binary.LittleEndian.Uint32(rowKey)], d.spanOf(rowKey[numberLen:])
}

// appendPlace appends where a row lies in the store.
func (d *directory) appendPlace(dst []byte, p *places, s span) []byte {
	if d.by != nil {
		return d.by.appendPlace(dst, s, p.bytes())
	}
	return append(d.appendSpan(dst, s), p.key...)
}

// taken says whether another row lies where one that was deleted in this epoch lay.
func (d *directory) taken(rowKey []byte) bool {
	if d.by == nil {
		return false
	}
	p, at := d.split(rowKey)
	return d.by.at(p, at) >= 0
}

// moved says that a row is elsewhere in memory, or not there any more.
func (d *directory) moved(rowKey []byte, from, to uint32) {
	p := d.numbers[binary.LittleEndian.Uint32(rowKey)]
	for i := range p.spans {
		if p.spans[i].row == from {
			p.spans[i].row = to
			return
		}
	}
}

// died notes that the row at s, which is listed, was deleted and is among the changed rows of the table.
func (d *directory) died(p *places, s span, place uint32) {
	if _, ok := d.wasDeleted(p, s); ok {
		return
	}
	d.dead = append(d.dead, deadRow{of: p, at: s, place: place, before: p.dead})
	p.dead = int32(len(d.dead))
}

// wasDeleted returns the place among the changed rows of the table of a row that was deleted in this epoch, and may be back.
func (d *directory) wasDeleted(p *places, s span) (place uint32, ok bool) {
	for i := p.dead; i > 0; i = d.dead[i-1].before {
		if at := d.dead[i-1].at; compareSpans(at, s) == 0 && at.nth == s.nth {
			return d.dead[i-1].place, true
		}
	}
	return 0, false
}

// bury forgets what was deleted in the epoch that ends.
func (d *directory) bury() {
	for i := range d.dead {
		d.dead[i].of.dead = 0
	}
	clear(d.dead)
	d.dead = d.dead[:0]
}

func newDirectory(s *Stores, e *entry, times int) directory {
	return directory{stores: s, id: e.ID, name: e.Name, times: times}
}

// appendSpan appends the times that a row's key begins with.
func (d *directory) appendSpan(dst []byte, s span) []byte {
	dst = binary.BigEndian.AppendUint64(dst, uint64(s.time))
	if d.by != nil {
		dst = append(binary.BigEndian.AppendUint64(dst, uint64(s.start)), s.nth)
	}
	return dst
}

// spanOf reads the times that a row's key begins with.
func (d *directory) spanOf(key []byte) span {
	s := span{time: int64(binary.BigEndian.Uint64(key))}
	if d.by != nil {
		s.start, s.nth = int64(binary.BigEndian.Uint64(key[8:])), key[16]
	}
	return s
}

// find returns the places of key, without those at or below gone; of sessions, those that end at the time or behind it at least.
func (d *directory) find(key []byte, time, gone int64) (*places, error) {
	hash := hashOf(key)
	p := d.keys.find(hash, key)
	var err error
	if p == nil {
		p, err = d.load(hash, key, time, gone)
	} else if p.since > math.MinInt64 {
		before := p.memory()
		err = d.by.list(p, time, gone)
		d.held += p.memory() - before
	}
	if err != nil {
		return nil, err
	}
	p.used = true
	return p, nil
}

// lookup returns the places of a key, or nil if the directory does not hold it.
func (d *directory) lookup(key []byte) *places { return d.keys.find(hashOf(key), key) }

// load brings a key into the directory.
func (d *directory) load(hash uint32, key []byte, time, gone int64) (*places, error) {
	if d.all == unknown {
		if err := d.look(); err != nil {
			return nil, err
		}
	}
	p := d.fresh(key)
	p.since = math.MinInt64
	d.enter(p)
	if d.all == no {
		var err error
		if d.by != nil {
			p.since = noBucket
			err = d.by.list(p, time, gone)
		} else {
			err = d.indexed(p, gone)
		}
		if err != nil {
			d.leave(p)
			return nil, err
		}
	}
	if len(p.spans) == 0 {
		d.idle = append(d.idle, p) // unless it gets a row, it is not kept
	}
	d.keys.insert(hash, p)
	d.held += p.memory()
	return p, nil
}

// fresh returns places of a key without rows.
func (d *directory) fresh(key []byte) *places {
	var p *places
	if n := len(d.free) - 1; n < 0 {
		p = &places{}
		p.spans = p.room[:0]
	} else {
		p = d.free[n]
		d.free[n], d.free = nil, d.free[:n]
		*p = places{spans: p.spans[:0]}
	}
	p.leaving.time, p.ending = notIn, notIn
	if len(key) <= shortKey {
		p.key = unsafe.String(&p.short[0], copy(p.short[:], key))
	} else {
		p.key = string(key)
	}
	return p
}

// indexed lists the rows of p, without those at or below gone.
func (d *directory) indexed(p *places, gone int64) error {
	d.from = appendIndexed(d.from[:0], d.id, p.bytes())
	d.to = append(d.to[:0], d.from...)
	d.from = d.appendSpan(d.from, span{time: max(after(gone, 1), 0)})
	d.to = append(d.appendSpan(d.to, span{time: math.MaxInt64}), 0)
	err := d.stores.backend.Scan(d.from, d.to, func(entry, _ []byte) error {
		p.spans = append(p.spans, d.spanOf(timesOf(entry, d.times)))
		return nil
	})
	if err != nil {
		return fmt.Errorf("store %q: look for the rows of key %q: %w", d.name, p.key, err)
	}
	return nil
}

// look finds out whether the backend holds any row of the store.
func (d *directory) look() error {
	all := wholeStore(d.id)
	err := d.stores.backend.Scan(all.From, all.To, func(_, _ []byte) error { return errFound })
	switch {
	case err == nil:
		d.all = yes
	case errors.Is(err, errFound):
		d.all = no
	default:
		return fmt.Errorf("store %q: %w", d.name, err)
	}
	return nil
}

// memory is what the directory takes, at most.
func (d *directory) memory() int64 {
	return d.held + int64(len(d.free))*(placesMemory+spareSpans*int64(unsafe.Sizeof(span{})))
}

// spareSpans is how many rows places that are used again have room for.
const spareSpans = 8

// placesMemory is what a key takes beside its bytes and spans: the struct, its slot and its number.
const placesMemory = int64(unsafe.Sizeof(places{})) + 48

func (p *places) memory() int64 {
	return placesMemory + int64(len(p.key)) + int64(cap(p.spans))*int64(unsafe.Sizeof(span{}))
}

// bytes are the key, which nobody writes until the epoch is applied that the last change of p belongs to: what is made of them may
// outlive the row.
func (p *places) bytes() []byte { return bytesOf(p.key) }

func bytesOf(key string) []byte {
	if key == "" {
		return []byte{}
	}
	return unsafe.Slice(unsafe.StringData(key), len(key))
}

// touch notes that the spans of p change in this epoch.
func (d *directory) touch(p *places) {
	if p.mark <= d.stores.frozen {
		p.mark = d.stores.frozen + 1
		d.dirty += p.memory()
	}
}

// add adds a span, which is not there, and returns its index.
func (d *directory) add(p *places, s span) int {
	d.touch(p)
	before := p.memory()
	i := len(p.spans)
	for i > 0 && compareSpans(s, p.spans[i-1]) < 0 {
		i--
	}
	p.spans = slices.Insert(p.spans, i, s)
	d.held += p.memory() - before
	return i
}

// remove takes span i away.
func (d *directory) remove(p *places, i int) {
	d.touch(p)
	p.spans = slices.Delete(p.spans, i, i+1)
	if len(p.spans) == 0 {
		d.idle = append(d.idle, p)
	}
}

// fewSpans are looked through one by one.
const fewSpans = 8

// from is the index of the first span of p at or behind a time.
func (p *places) from(time int64) int {
	n := len(p.spans)
	if n > 0 && p.spans[n-1].time < time { // most records are newer than what is there
		return n
	}
	if n <= fewSpans {
		for i := range p.spans {
			if p.spans[i].time >= time {
				return i
			}
		}
		return n
	}
	i, _ := slices.BinarySearchFunc(p.spans, span{time: time, start: -1}, compareSpans)
	return i
}

// index is where s stands among the spans of p, or -1.
func (p *places) index(s span) int {
	if len(p.spans) <= fewSpans {
		for i := range p.spans {
			if p.spans[i].time == s.time && p.spans[i].start == s.start {
				return i
			}
		}
		return -1
	}
	i, ok := slices.BinarySearchFunc(p.spans, s, compareSpans)
	if !ok {
		return -1
	}
	return i
}

// enter gives a key a number.
func (d *directory) enter(p *places) {
	if n := len(d.unused) - 1; n >= 0 {
		p.number, d.unused = d.unused[n], d.unused[:n]
		d.numbers[p.number] = p
		return
	}
	p.number = uint32(len(d.numbers))
	d.numbers = append(d.numbers, p)
}

// leave takes the rows of a key out of memory, and its number away.
func (d *directory) leave(p *places) {
	for i := range p.spans {
		if n := p.spans[i].row; n > 0 {
			d.forget(n - 1)
		}
	}
	p.gone = true
	d.numbers[p.number] = nil
	d.unused = append(d.unused, p.number)
}

// drop takes a key out of the directory.
func (d *directory) drop(p *places) {
	d.keys.remove(p)
	d.leave(p)
	d.held -= p.memory()
	if len(d.free) < minSweep+d.keys.n/4 && cap(p.spans) <= spareSpans && !p.stale && p.leaving.time == notIn && p.ending == notIn {
		d.free = append(d.free, p) // nothing refers to it
	}
}

func (d *directory) freeze() {
	d.dirty, d.flying = 0, d.dirty
	d.bury()
}

// applied drops keys that have no rows any more.
func (d *directory) applied() {
	d.flying = 0
	kept := d.idle[:0]
	for _, p := range d.idle {
		switch {
		case p.gone || len(p.spans) > 0:
		case p.mark > d.stores.applied:
			kept = append(kept, p)
		default:
			d.drop(p)
		}
	}
	clear(d.idle[len(kept):])
	d.idle = kept
	d.keys.trim()
}

// discard forgets the keys that were changed since the last applied epoch.
func (d *directory) discard() {
	d.bury()
	for i := 0; i < len(d.keys.slots); {
		if p := d.keys.slots[i].of; p != nil && p.mark > d.stores.applied {
			d.drop(p) // another one may lie here now
		} else {
			i++
		}
	}
	d.all, d.dirty, d.flying = unknown, 0, 0
	d.evicted++
	if d.by != nil {
		d.by.coming.reset()
	}
}

// sweepSlots is how many slots there are to a key, about.
const sweepSlots = 3

// evict is a clock over the keys that the backend knows all about. What waited to be used again goes, too.
func (d *directory) evict(target int64) {
	for work := sweepSlots * minSweep; work > 0 && d.keys.n > 0 && d.held > target; work-- {
		if d.hand >= len(d.keys.slots) {
			d.hand = 0
		}
		p := d.keys.slots[d.hand].of
		switch {
		case p == nil:
			d.hand++
		case p.mark > d.stores.applied:
			d.hand++
		case p.used:
			p.used = false
			d.hand++
		default:
			if len(p.spans) > 0 {
				d.all = no
				d.evicted++
				if d.by != nil {
					d.by.evicted(p)
				}
			}
			d.drop(p) // another one may lie here now
		}
	}
	d.keys.trim()
	d.free = nil
}
