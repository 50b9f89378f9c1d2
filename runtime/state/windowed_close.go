package state

import (
	"errors"
	"fmt"
	"slices"

	"github.com/streamgen/streamgen/runtime/window"
)

// CloseStep is how many rows generated code lets leave at a time. Behind them a worker may commit.
const CloseStep = 10_000

// leaving is the window whose rows are leaving: those in memory in the order of their keys, and how far the backend was read.
type leaving[V any] struct {
	pane *pane[V] // nil: none is
	rows []uint32 // of its table, in the order of their keys
	next int      // of rows
	from []byte   // backend key from which to read on
	skip int64    // rows that had left when this began
	row  Row[V]   // scratch: the one in hand, if it is not in memory
}

// Due says whether there may be windows to close.
func (w *Windowed[V]) Due() bool { return w.next <= w.over }

// Close calls f for the rows of windows that take no more records of any input, by the start of the window, with which goes its end, and
// by key bytes, each once. After n rows it stops; more says that there are more, for another call, before any row changes.
func (w *Windowed[V]) Close(n int, f func(start, end int64, key []byte, r *Row[V]) error) (more bool, err error) {
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
		p := w.panes[i]
		if w.next = p.start; !w.Due() {
			return false, nil
		}
		all, err := w.rows(p, &n, f)
		if err != nil || !all {
			return !all, err
		}
		w.leave.pane = nil
		w.closed.Time, w.left.Time = p.start+1, 0
	}
}

// list makes a pane for each window of the backend whose rows have not left.
func (w *Windowed[V]) list() error {
	all := wholeStore(w.entry.ID)
	from := w.appendKey(nil, w.closed.Time, nil)
	for {
		var start int64
		err := w.stores.backend.Scan(from, all.To, func(key, _ []byte) error {
			start = startOf(key[PrefixLen:])
			return errFound
		})
		if err == nil {
			break
		}
		if !errors.Is(err, errFound) {
			return fmt.Errorf("store %q: %w", w.entry.Name, err)
		}
		if i, found := w.search(start); !found {
			w.insert(i, &pane[V]{start: start})
		}
		if start == window.Forever {
			break
		}
		from = w.appendKey(from[:0], start+1, nil)
	}
	w.listed, w.at, w.sweep = true, 0, 0
	return nil
}

// rows lets the rows of a window leave, at most n of them; all says that all have.
func (w *Windowed[V]) rows(p *pane[V], n *int, f func(start, end int64, key []byte, r *Row[V]) error) (all bool, err error) {
	if p.whole == unknown {
		if err := w.look(p); err != nil {
			return false, err
		}
	}
	l := &w.leave
	if l.pane != p {
		w.begin(p)
	}
	if p.whole == no {
		if all, err := w.stored(p, n, f); err != nil || !all {
			return false, err
		}
	}
	for l.next < len(l.rows) {
		if *n <= 0 {
			return false, nil
		}
		if err := w.resident(p, n, f); err != nil {
			return false, err
		}
	}
	return true, nil
}

// begin puts the rows of a window that are in memory into the order of their keys.
func (w *Windowed[V]) begin(p *pane[V]) {
	l, t := &w.leave, &p.table
	w.left.Time = max(w.left.Time, 0)
	l.pane, l.rows, l.next, l.skip = p, l.rows[:0], 0, w.left.Time
	l.from = append(l.from[:0], w.rangeOf(p.start, p.start).From...)
	for i := range t.n {
		if !t.row(i).absent {
			l.rows = append(l.rows, i)
		}
	}
	slices.SortFunc(l.rows, func(a, b uint32) int { return compareKeys(t.key(t.row(a)), t.key(t.row(b))) })
}

func compareKeys(a, b []byte) int {
	switch {
	case string(a) < string(b):
		return -1
	case string(a) > string(b):
		return 1
	}
	return 0
}

// stored lets rows leave that are not in memory, with those in memory that come before them.
func (w *Windowed[V]) stored(p *pane[V], n *int, f func(start, end int64, key []byte, r *Row[V]) error) (all bool, err error) {
	l, t := &w.leave, &p.table
	to := w.rangeOf(p.start, p.start).To
	err = w.stores.backend.Scan(l.from, to, func(full, row []byte) error {
		key := full[PrefixLen+window.StartLen:]
		for l.next < len(l.rows) && compareKeys(t.key(t.row(l.rows[l.next])), key) < 0 {
			if *n <= 0 {
				return errEnough
			}
			if err := w.resident(p, n, f); err != nil {
				return err
			}
		}
		if r, _ := t.find(hashOf(key), key); r == nil {
			if *n <= 0 {
				return errEnough
			}
			l.row = Row[V]{}
			headers, err := w.readRow(row, &l.row)
			if err != nil {
				return fmt.Errorf("store %q: decode the row of key %q at %d: %w", w.entry.Name, key, p.start, err)
			}
			w.shown = nil
			if headers != nil {
				w.shown, _ = readHeaders(slices.Clone(headers))
			}
			if err := w.leaves(p, key, &l.row, n, f); err != nil {
				return err
			}
		} // else its turn is that of the row in memory, if it is there
		l.from = append(append(l.from[:0], full...), 0)
		return nil
	})
	switch {
	case err == nil:
		l.from = append(l.from[:0], to...)
		return true, nil
	case errors.Is(err, errEnough):
		return false, nil
	}
	return false, err
}

// resident lets the next row in memory leave.
func (w *Windowed[V]) resident(p *pane[V], n *int, f func(start, end int64, key []byte, r *Row[V]) error) error {
	l := &w.leave
	r := p.table.row(l.rows[l.next])
	l.next++
	key := p.table.key(r)
	w.shown = nil
	if len(p.headers) > 0 {
		w.shown = p.readHeaders(key)
	}
	return w.leaves(p, key, r, n, f)
}

// leaves lets one row leave, unless it has.
func (w *Windowed[V]) leaves(p *pane[V], key []byte, r *Row[V], n *int, f func(start, end int64, key []byte, r *Row[V]) error) error {
	l := &w.leave
	if l.skip > 0 {
		l.skip--
		return nil
	}
	*n--
	w.left.Time++ // before the call: behind a panic in f the next row is next
	return f(p.start, window.End(p.start, w.Size), key, r)
}
