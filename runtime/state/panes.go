package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/window"
)

// Panes is a store of hopping windows of which nothing is asked but final results. The times at which windows begin and end cut
// time into panes; a record is in one pane, and in all windows that the pane is in. They are of one length, or, where the size is no
// multiple of the time between windows, of two, by turns:
//
//	panes    |--a--|--b--|--c--|--d--|        |-a-|b|-c-|d|-e-|
//	windows  [  a+b+c        )                [ a+b+c   )
//	               [  b+c+d        )                [ c+d+e   )
//
// So it keeps a row a key and pane, which a record changes once, and adds up those of a window when the window closes. A row lies
// by the start of its pane; what Windowed says of windows holds for panes, too. Sums of the window that closed last stay in
// memory: the next one has a pane less and one more. If they do not fit, they are made of all panes, for a range of keys at a time.
//
// A record that comes after a window has left is in none of its sums: it changes those of later windows only.
type Panes[V any] struct {
	Windowed[V] // of panes, apart from Size and Grace
	PanesOptions[V]

	sums  sums[V]
	room  int64  // for the sums, in bytes
	turns *Clock // changes since the first one by a record with headers
	rest  int64  // the length of panes with which a window ends that does not end with another's begin; 0: there are none
	from  int64  // the pane of the last record, and its windows
	width int64
	first int64
	count int64
	sum   Row[V] // scratch: the one that leaves
	cold  Row[V] // scratch: one that is not in memory
}

// PanesOptions are what hopping windows say, and how the values of panes become that of a window. Times are in milliseconds.
type PanesOptions[V any] struct {
	Size      int64
	Every     int64 // a window begins
	Grace     int64
	Retention int64

	// Add makes sum that of a pane more, which comes in any order. An error is that of the store.
	Add func(sum, pane *V) error
	// Take makes sum, of which pane is a part, that without it; false: it cannot tell, and sum is worked out anew.
	Take func(sum, pane *V) bool
}

// sums are the panes of a window added up, by key.
type sums[V any] struct {
	table  table[paneSum[V]]
	valid  bool
	window int64 // the start of the first pane that is in them
	upto   int64 // the start of the first pane that is not
	from   []byte
	to     []byte // they are of keys from <= key < to; nil: of all there are
	ready  bool   // order has them, as they leave
	order  []uint32
	next   int   // of order
	skip   int64 // rows that had left when this began
}

// paneSum is the sum of a key. Its row's timestamp is the greatest of those of its panes.
type paneSum[V any] struct {
	value V
	panes uint32 // that have a row of the key
	stale bool   // a pane that was added has changed
	turn  uint64 // when the key changed last, if that is known
	last  int64  // the pane that did
}

// minRoom is what the sums may take in any case.
const minRoom = 64 << 10

// NewPanes makes the store with that id.
func NewPanes[V any](s *Stores, id uint16, c Codec[V], o PanesOptions[V]) *Panes[V] {
	p := &Panes[V]{PanesOptions: o, from: window.Forever, rest: o.Size % o.Every}
	p.hop = o.Every
	p.open(s, id, c, WindowedOptions{Size: o.Size, Grace: o.Grace, Retention: o.Retention, Final: true}, p)
	p.turns = s.Clock(id, "turns")
	p.room = max(s.account.share()/8*3, minRoom)
	return p
}

// Windows says for the time of the record that Advance was called for which pane it is in, how many of its windows take it no more,
// and whether there is one that does.
func (w *Panes[V]) Windows(time int64) (pane int64, late uint64, open bool) {
	if time < w.from || time-w.from >= w.width {
		if w.first, w.count = window.Hopping(time, w.Size, w.Every); w.count == 0 {
			w.from = window.Forever
			return 0, 0, false
		}
		w.from, w.width = w.first+(w.count-1)*w.Every, w.Every
		switch {
		case w.rest == 0:
		case time-w.from < w.rest:
			w.width = w.rest
		default:
			w.from, w.width = w.from+w.rest, w.Every-w.rest
		}
	}
	if w.ended < w.first {
		return w.from, 0, true
	}
	n := min(w.count, (w.ended-w.first)/w.Every+1)
	return w.from, uint64(n), n < w.count
}

// UpdateAt is that of Windowed, of a pane that has a window which takes the record.
func (w *Panes[V]) UpdateAt(pane int64, key []byte) (r *Row[V], existed bool, err error) {
	if w.over >= max(w.closed.Time, 0) && !w.Due() { // windows without rows have passed: they get none any more
		w.closed.Time = w.over - w.over%w.Every + w.Every
	}
	r, existed, err = w.Windowed.UpdateAt(pane, key)
	if s := &w.sums; err == nil && s.valid && pane < s.upto {
		at, _ := s.table.find(w.hash, key)
		if at == nil {
			at, _ = s.table.insert(w.hash, key)
		}
		at.Value.stale = true
	}
	return r, existed, err
}

// ChangedBy keeps the headers of the record behind the last change with the row of the pane, and from the first record on that has
// some the order of changes.
func (w *Panes[V]) ChangedBy(headers []record.Header) {
	h := &w.hand
	if h.pane == nil || len(headers) == 0 && w.turns.Time <= 0 {
		return
	}
	w.turns.Time = max(w.turns.Time, 0) + 1
	t := &h.pane.table
	key := t.key(t.row(t.changed[h.place]))
	old, ok := h.pane.headers[string(key)]
	stored := binary.AppendUvarint(old[:0], uint64(w.turns.Time))
	if len(headers) > 0 {
		stored = appendHeaders(stored, headers)
	}
	if !ok {
		h.pane.setHeaders(key, stored)
		return
	}
	h.pane.writeHeaders(key, old, stored) // what leaves has a copy
}

// Close calls f for the sums of windows that take no more records, as that of Windowed does for rows.
func (w *Panes[V]) Close(n int, f func(start, end int64, key []byte, r *Row[V]) error) (more bool, err error) {
	if !w.listed {
		if err := w.list(); err != nil {
			return false, err
		}
	}
	for {
		i, _ := w.search(w.closed.Time)
		if i == len(w.panes) {
			w.next = window.Forever
			return false, nil
		}
		start := max(w.opens(w.panes[i].start), w.closed.Time)
		if w.next = start; !w.Due() {
			return false, nil
		}
		if all, err := w.leaveAll(start, &n, f); err != nil || !all {
			return !all, err
		}
		if err := w.shift(start); err != nil {
			return false, err
		}
		w.closed.Time, w.left.Time = start+w.Every, 0
	}
}

// leaveAll lets the sums of a window leave, at most n of them; all says that all have.
func (w *Panes[V]) leaveAll(start int64, n *int, f func(start, end int64, key []byte, r *Row[V]) error) (all bool, err error) {
	s := &w.sums
	for {
		if !s.ready {
			if err := w.gather(start); err != nil {
				s.forget()
				return false, err
			}
		}
		for s.next < len(s.order) {
			if s.skip > 0 {
				s.skip--
				s.next++
				continue
			}
			if *n <= 0 {
				return false, nil
			}
			r := s.table.row(s.order[s.next])
			key := s.table.key(r)
			w.sum = Row[V]{Value: r.Value.value, Timestamp: r.Timestamp}
			if w.shown = nil; r.Value.turn > 0 {
				if w.shown, err = w.headersOf(r.Value.last, key); err != nil {
					return false, err
				}
			}
			s.next++
			*n--
			w.left.Time++ // before the call: behind a panic in f the next one is next
			if err := f(start, window.End(start, w.Size), key, &w.sum); err != nil {
				return false, err
			}
		}
		s.ready = false
		if s.to == nil {
			return true, nil
		}
		s.begin(start, s.to)
	}
}

// shift takes the panes of a window that has left, and that are not of the next one, out of the sums.
func (w *Panes[V]) shift(start int64) error {
	s := &w.sums
	if s.from != nil || s.to != nil { // they were of a range of keys
		s.forget()
		return nil
	}
	s.window = start + w.Every
	var err error
	for i, _ := w.search(start); err == nil && i < len(w.panes) && w.panes[i].start < s.window; i++ {
		err = w.without(w.panes[i])
	}
	s.table.trim()
	if err != nil {
		s.forget()
	}
	return err
}

// without takes a pane out of the sums. It is the first one that is in them.
func (w *Panes[V]) without(p *pane[V]) error {
	s := &w.sums
	return w.eachRow(p, func(hash uint32, key []byte, r *Row[V], turn uint64) error {
		at, n := s.table.find(hash, key)
		switch {
		case at == nil || at.Value.stale:
		case at.Value.panes == 1:
			s.table.remove(n)
		default: // the timestamp is that of a later pane
			at.Value.panes--
			at.Value.stale = turn > 0 && turn == at.Value.turn || !w.Take(&at.Value.value, &r.Value)
		}
		return nil
	})
}

// gather makes the sums of a window, from the key on that they begin with, and puts them in order.
func (w *Panes[V]) gather(start int64) error {
	s := &w.sums
	if s.from == nil {
		if !s.valid || s.window != start {
			s.begin(start, nil)
		}
		w.left.Time = max(w.left.Time, 0)
		s.skip = w.left.Time
	}
	end := window.End(start, w.Size)
	for i, _ := w.search(s.upto); i < len(w.panes) && w.panes[i].start < end; i++ {
		if err := w.add(w.panes[i]); err != nil {
			return err
		}
	}
	s.upto, s.order, s.next = end, s.order[:0], 0
	for i := uint32(0); i < s.table.n; {
		r := s.table.row(i)
		if r.Value.stale {
			if err := w.again(start, r); err != nil {
				return err
			}
			if r.Value.panes == 0 {
				s.table.remove(i)
				continue
			}
		}
		s.order = append(s.order, i)
		i++
	}
	s.sort()
	s.ready = true
	return nil
}

// add adds the rows of a pane.
func (w *Panes[V]) add(p *pane[V]) error {
	s := &w.sums
	return w.eachRow(p, func(hash uint32, key []byte, r *Row[V], turn uint64) error {
		at, _ := s.table.find(hash, key)
		if at == nil {
			if at, _ = s.table.insert(hash, key); s.table.memory() > w.room && s.table.n > 1 {
				*at = w.summed(at, p.start, r, turn)
				s.halve()
				return nil
			}
		}
		if !at.Value.stale {
			return w.join(at, key, p.start, r, turn)
		}
		return nil
	})
}

// join adds the row of a pane to a sum.
func (w *Panes[V]) join(at *Row[paneSum[V]], key []byte, pane int64, r *Row[V], turn uint64) error {
	v := &at.Value
	if v.panes == 0 {
		*at = w.summed(at, pane, r, turn)
		return nil
	}
	if err := w.Add(&v.value, &r.Value); err != nil {
		return fmt.Errorf("store %q: add up the window of key %q: %w", w.entry.Name, key, err)
	}
	v.panes++
	at.Timestamp = max(at.Timestamp, r.Timestamp)
	if turn > v.turn {
		v.turn, v.last = turn, pane
	}
	return nil
}

// summed is the row at, of one pane.
func (w *Panes[V]) summed(at *Row[paneSum[V]], pane int64, r *Row[V], turn uint64) Row[paneSum[V]] {
	sum := *at
	sum.Value, sum.Timestamp = paneSum[V]{value: r.Value, panes: 1, turn: turn, last: pane}, r.Timestamp
	return sum
}

// again works out a sum anew.
func (w *Panes[V]) again(start int64, at *Row[paneSum[V]]) error {
	key := w.sums.table.key(at)
	hash := hashOf(key)
	at.Value = paneSum[V]{}
	for i, _ := w.search(start); i < len(w.panes) && w.panes[i].start < w.sums.upto; i++ {
		r, turn, err := w.peek(w.panes[i], hash, key)
		if err == nil && r != nil {
			err = w.join(at, key, w.panes[i].start, r, turn)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// peek returns the row of key in a pane, or nil, and leaves it where it is.
func (w *Panes[V]) peek(p *pane[V], hash uint32, key []byte) (r *Row[V], turn uint64, err error) {
	if r, _ := p.table.find(hash, key); r != nil {
		if r.absent {
			return nil, 0, nil
		}
		return r, p.turnOf(key), nil
	}
	if p.whole == unknown {
		if err := w.look(p); err != nil {
			return nil, 0, err
		}
	}
	if p.whole == yes {
		return nil, 0, nil
	}
	w.key = w.appendKey(w.key[:0], p.start, key)
	src, ok, err := w.stores.get(w.key)
	if err != nil {
		return nil, 0, fmt.Errorf("store %q: read the row of key %q at %d: %w", w.entry.Name, key, p.start, err)
	}
	if !ok {
		return nil, 0, nil
	}
	turn, err = w.decode(p, key, src)
	return &w.cold, turn, err
}

// decode reads a row of the backend.
func (w *Panes[V]) decode(p *pane[V], key, src []byte) (turn uint64, err error) {
	w.cold = Row[V]{}
	stored, err := w.readRow(src, &w.cold)
	if err != nil {
		return 0, fmt.Errorf("store %q: decode the row of key %q at %d: %w", w.entry.Name, key, p.start, err)
	}
	turn, _ = binary.Uvarint(stored)
	return turn, nil
}

// headersOf are those of the last record in a pane of a key, in memory that stays.
func (w *Panes[V]) headersOf(pane int64, key []byte) ([]record.Header, error) {
	p := w.Windowed.pane(pane)
	r, _, err := w.find(p, hashOf(key), key)
	if err != nil || r.absent {
		return nil, err
	}
	stored := p.headers[string(key)]
	_, n := binary.Uvarint(stored)
	if n <= 0 || n == len(stored) {
		return nil, nil
	}
	list, _ := readHeaders(slices.Clone(stored[n:]))
	return list, nil
}

// turnOf is when the row of a pane changed last, if that is known.
func (p *pane[V]) turnOf(key []byte) uint64 {
	if len(p.headers) == 0 {
		return 0
	}
	turn, _ := binary.Uvarint(p.headers[string(key)])
	return turn
}

// eachRow calls f for the rows of a pane whose keys the sums are of.
func (w *Panes[V]) eachRow(p *pane[V], f func(hash uint32, key []byte, r *Row[V], turn uint64) error) error {
	if p.whole == unknown {
		if err := w.look(p); err != nil {
			return err
		}
	}
	s, t := &w.sums, &p.table
	for i := range t.n {
		r := t.row(i)
		if key := t.key(r); !r.absent && s.holds(key) {
			if err := f(hashOf(key), key, r, p.turnOf(key)); err != nil {
				return err
			}
		}
	}
	if p.whole == yes {
		return nil
	}
	all := w.rangeOf(p.start, p.start)
	err := w.stores.backend.Scan(append(all.From, s.from...), all.To, func(full, row []byte) error {
		key := full[PrefixLen+window.StartLen:]
		if !s.holds(key) { // the next ones are behind it
			return errEnough
		}
		hash := hashOf(key)
		if r, _ := t.find(hash, key); r != nil {
			return nil
		}
		turn, err := w.decode(p, key, row)
		if err != nil {
			return err
		}
		return f(hash, key, &w.cold, turn)
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// begin makes the sums those of no pane, from a key on.
func (s *sums[V]) begin(start int64, from []byte) {
	*s = sums[V]{valid: true, window: start, upto: start, from: from, order: s.order[:0], skip: s.skip}
}

// forget gives the sums up.
func (s *sums[V]) forget() { *s = sums[V]{} }

func (s *sums[V]) holds(key []byte) bool {
	return (s.from == nil || string(key) >= string(s.from)) && (s.to == nil || string(key) < string(s.to))
}

func (s *sums[V]) sort() {
	t := &s.table
	slices.SortFunc(s.order, func(a, b uint32) int { return compareKeys(t.key(t.row(a)), t.key(t.row(b))) })
}

// halve gives up the second half of the keys: their turn comes later.
func (s *sums[V]) halve() {
	s.order = s.order[:0]
	for i := range s.table.n {
		s.order = append(s.order, i)
	}
	s.sort()
	half := len(s.order) / 2
	s.to = slices.Clone(s.table.key(s.table.row(s.order[half])))
	var kept table[paneSum[V]]
	for _, n := range s.order[:half] {
		from := s.table.row(n)
		key := s.table.key(from)
		r, _ := kept.insert(hashOf(key), key)
		r.Value, r.Timestamp = from.Value, from.Timestamp
	}
	s.table = kept
}

func (s *sums[V]) memory() int64 { return s.table.memory() + 4*int64(cap(s.order)) }

func (w *Panes[V]) discard() error {
	w.sums.forget()
	return w.Windowed.discard()
}

func (w *Panes[V]) memory() (held, pinned int64) {
	held, pinned = w.Windowed.memory()
	return held + w.sums.memory(), pinned
}

// evict lets panes go whole that have been added up, the oldest first: they are not asked for before they leave the sums, but by a record that
// is late, and then they are read one row behind the other. If that is not enough, rows go as those of Windowed do.
func (w *Panes[V]) evict(target int64) {
	held, _ := w.memory()
	ended := w.over + w.Size // windows that end then or before take no more records
	for i := 0; i < len(w.panes) && held > target && w.panes[i].start+w.Every <= ended; i++ {
		if p := w.panes[i]; p.table.n > 0 && len(p.table.changed) == 0 && p.kept <= w.stores.applied {
			held += paneMemory - p.memory()
			p.table, p.headers, p.turns, p.spare, p.sweep = table[V]{}, nil, nil, 0, 0
			p.whole = no
		}
	}
	if held > target {
		w.Windowed.evict(target - w.sums.memory())
	}
}
