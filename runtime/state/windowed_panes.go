package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/window"
)

// pane is the rows of one window that are in memory.
type pane[V any] struct {
	start   int64
	table   table[V]
	whole   whole             // the overlay has every row of the window
	turns   []int             // of the changed rows, their places in Windowed.order
	headers map[string][]byte // Final: of the rows whose record had some, by key, as they are stored
	spare   int64             // memory of headers
	sweep   uint32            // the row that eviction looks at next
	kept    uint32            // the last freeze that took rows along
}

// pane returns the pane of a window, made if it is not there.
func (w *Windowed[V]) pane(start int64) *pane[V] {
	for i := w.at; i < len(w.panes) && i <= w.at+1; i++ { // the one asked for last, or in hopping windows the next
		if p := w.panes[i]; p.start == start {
			w.at = i
			return p
		}
	}
	i, found := w.search(start)
	w.at = i
	if !found {
		p := &pane[V]{start: start}
		if start > w.latest.Time { // nothing was ever stored there
			p.whole = yes
		}
		w.insert(i, p)
	}
	return w.panes[i]
}

// search finds the place of a window among the panes. Most of what is not there is newer than all others.
func (w *Windowed[V]) search(start int64) (int, bool) {
	if n := len(w.panes); n == 0 || w.panes[n-1].start < start {
		return n, false
	}
	return slices.BinarySearchFunc(w.panes, start, func(p *pane[V], start int64) int {
		switch {
		case p.start < start:
			return -1
		case p.start > start:
			return 1
		}
		return 0
	})
}

func (w *Windowed[V]) insert(i int, p *pane[V]) {
	w.panes = slices.Insert(w.panes, i, p)
	if w.Final && p.start >= w.closed.Time {
		w.next = min(w.next, max(w.opens(p.start), w.closed.Time))
	}
}

// opens is the start of the first window that takes rows from the pane at start.
func (w *Windowed[V]) opens(start int64) int64 {
	if w.hop == 0 {
		return start
	}
	first, _ := window.Hopping(start, w.Size, w.hop)
	return first
}

// look finds out whether the backend holds any row of a window.
func (w *Windowed[V]) look(p *pane[V]) error {
	r := w.rangeOf(p.start, p.start)
	err := w.stores.backend.Scan(r.From, r.To, func(_, _ []byte) error { return errFound })
	switch {
	case err == nil:
		p.whole = yes
	case errors.Is(err, errFound):
		p.whole = no
	default:
		return fmt.Errorf("store %q: %w", w.entry.Name, err)
	}
	return nil
}

// headersMemory is what an entry of pane.headers takes beside its bytes.
const headersMemory = 64

// keepHeaders makes headers those of a row. Most rows have none, and cost nothing.
func (p *pane[V]) keepHeaders(r *Row[V], headers []record.Header) {
	if len(headers) == 0 {
		if len(p.headers) > 0 {
			p.dropHeaders(p.table.key(r))
		}
		return
	}
	key := p.table.key(r)
	old, ok := p.headers[string(key)]
	if ok { // the bytes are nobody else's before the row leaves, and then it never changes again
		p.writeHeaders(key, old, appendHeaders(old[:0], headers))
		return
	}
	p.setHeaders(key, appendHeaders(nil, headers))
}

// writeHeaders makes b what is kept for key, which was made in the memory of old as far as that goes.
func (p *pane[V]) writeHeaders(key, old, b []byte) {
	if len(b) == len(old) { // they are where they were; to write a map copies the key
		return
	}
	p.headers[string(key)] = b
	p.spare += int64(cap(b) - cap(old))
}

// setHeaders keeps a copy of headers as they are stored.
func (p *pane[V]) setHeaders(key, headers []byte) {
	if p.headers == nil {
		p.headers = map[string][]byte{}
	}
	b := slices.Clone(headers)
	p.headers[string(key)] = b
	p.spare += headersMemory + int64(len(key)+cap(b))
}

func (p *pane[V]) dropHeaders(key []byte) {
	if b, ok := p.headers[string(key)]; ok {
		p.spare -= headersMemory + int64(len(key)+cap(b))
		delete(p.headers, string(key))
	}
}

// readHeaders are the headers of a row, in memory that stays.
func (p *pane[V]) readHeaders(key []byte) []record.Header {
	if b, ok := p.headers[string(key)]; ok {
		list, _ := readHeaders(b)
		return list
	}
	return nil
}

const paneMemory = 256

func (p *pane[V]) memory() int64 {
	return paneMemory + p.table.memory() + p.spare + int64(cap(p.turns))*int64(unsafe.Sizeof(int(0)))
}

// remove takes row n, which is not changed, out of a pane.
func (p *pane[V]) remove(n uint32) {
	if len(p.headers) > 0 {
		p.dropHeaders(p.table.key(p.table.row(n)))
	}
	p.table.remove(n)
}

func (w *Windowed[V]) freeze(f *Frozen) {
	w.expire(f)
	w.dirty, w.flying = 0, 0
	for _, o := range w.order {
		p, t := o.pane, &o.pane.table
		r := t.row(t.changed[o.place])
		r.changed = false
		if r.absent && !r.stored { // made and deleted within the epoch
			r.mark = 0
			t.resize(r, 0)
			continue
		}
		key := t.key(r)
		c := f.change(w.entry.ID, w.storeKey(p.start, key), r.Timestamp)
		if r.absent {
			t.resize(r, 0)
			p.dropHeaders(key)
		} else {
			row := f.rowTail(r.Timestamp)
			if w.Final {
				headers := p.headers[string(key)]
				row = append(binary.AppendUvarint(row, uint64(len(headers))), headers...)
			}
			c.Row = f.arena.Keep(w.codec.Append(row, &r.Value))
			size := uint32(len(c.Row) - TimestampLen)
			t.resize(r, size)
			w.mean = (7*w.mean + size) / 8
		}
		r.stored, r.mark, p.kept = !r.absent, w.stores.frozen, w.stores.frozen
		w.flying += t.rowMemory(r)
	}
	w.forgetOrder()
}

// forgetOrder begins an epoch without changes. A row that changed has its mark.
func (w *Windowed[V]) forgetOrder() {
	for _, o := range w.order {
		o.pane.table.changed, o.pane.turns = o.pane.table.changed[:0], o.pane.turns[:0]
	}
	w.order, w.walked = w.order[:0], 0
	w.sent.reset()
	w.lost.reset()
	clear(w.headers)
	w.headers, w.shown = w.headers[:0], nil
	w.hand.pane = nil
}

// expire lets rows go that have expired: those of the backend as a range, which nobody looks at, those in memory with their panes.
func (w *Windowed[V]) expire(f *Frozen) {
	gone := w.gone()
	if gone <= w.ranged {
		return
	}
	from := w.ranged
	if from != Never {
		from++
	}
	f.Expired = append(f.Expired, w.rangeOf(from, gone))
	w.ranged = gone
	n, found := w.search(gone)
	if found {
		n++
	}
	if n == 0 {
		return
	}
	w.order = slices.DeleteFunc(w.order, func(o turnOf[V]) bool { return o.pane.start <= gone })
	w.panes = slices.Delete(w.panes, 0, n)
	w.at, w.sweep = 0, 0
}

// clean lets rows go that have expired, of a backend that was restored: a changelog has them still. They are not seen in any case, so
// what goes wrong here is left to the next epoch.
func (w *Windowed[V]) clean() {
	var f Frozen
	if w.expire(&f); len(f.Expired) > 0 && w.stores.backend.Apply(&f) != nil {
		w.ranged = Never
	}
}

func (w *Windowed[V]) applied() {
	w.flying = 0
	if latest := w.latest.frozen; w.Retention != window.Forever && w.outdated.due(latest, w.Retention) {
		w.outdated.mark(w.stores.backend.Checkpoint(), w.entry.ID, latest)
	}
}

func (w *Windowed[V]) discard() error {
	for _, o := range w.order {
		r := o.pane.table.row(o.pane.table.changed[o.place])
		r.changed, r.mark = false, ^uint32(0)
	}
	w.forgetOrder()
	kept := w.panes[:0]
	for _, p := range w.panes {
		t := &p.table
		for i := uint32(0); i < t.n; {
			if t.row(i).mark > w.stores.applied {
				p.remove(i)
			} else {
				i++
			}
		}
		t.trim()
		p.whole = unknown
		if t.n > 0 {
			kept = append(kept, p)
		}
	}
	clear(w.panes[len(kept):])
	w.panes, w.at, w.sweep = kept, 0, 0
	w.dirty, w.flying, w.ranged = 0, 0, Never
	w.unlisted()
	time := w.clocks[0].applied // where the clocks go back to
	for _, c := range w.clocks[1:] {
		time = min(time, c.applied)
	}
	w.over = w.endedAt(time)
	return nil
}

func (w *Windowed[V]) memory() (held, pinned int64) {
	held = w.sent.memory()
	for _, p := range w.panes {
		held += p.memory()
	}
	return held, w.dirty + w.flying
}

// evict is the clock of KeyValue.evict over the panes, one behind the other: from the oldest on, of which most are closed.
func (w *Windowed[V]) evict(target int64) {
	held, _ := w.memory()
	work := minSweep
	for _, p := range w.panes {
		work += sweepFactor * p.table.inserted
		p.table.inserted = 0
	}
	for ; work > 0 && len(w.panes) > 0 && held > target; work-- {
		if w.sweep >= len(w.panes) {
			w.sweep = 0
		}
		p := w.panes[w.sweep]
		if p == w.leave.pane || p.sweep >= p.table.n {
			p.sweep = 0
			w.pass(p)
			continue
		}
		before := p.memory()
		r := p.table.row(p.sweep)
		switch {
		case r.changed || r.mark > w.stores.applied:
			p.sweep++
		case r.used:
			r.used = false
			p.sweep++
		default:
			if r.stored {
				p.whole = no
			}
			p.remove(p.sweep)
			p.sweep++ // the row that moved here is new: it has until the hand comes again to be used
			held += p.memory() - before
		}
	}
}

// pass goes on to the next pane. One that is empty goes, unless it has rows that have to leave.
func (w *Windowed[V]) pass(p *pane[V]) {
	if p.table.n == 0 {
		p.table, p.headers, p.turns, p.spare = table[V]{}, nil, nil, 0
	}
	p.table.trim()
	if p == w.leave.pane || p.table.n > 0 || p.kept > w.stores.applied || w.Final && p.start >= w.closed.Time && p.whole != yes {
		w.sweep++
		return
	}
	w.panes = slices.Delete(w.panes, w.sweep, w.sweep+1)
	w.at = 0
}
