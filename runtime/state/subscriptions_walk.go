package state

import "bytes"

// walk is a way through the subscriptions of a prefix: those of both epochs and of the backend, of which a page is in memory.
type walk struct {
	now, flying uint32
	page        []storedRow
	bytes       []byte
	at          int
	whole       bool // behind the page there is nothing
	from, to    []byte
	visit       func(key, row []byte) error // made once
	subscriber  Subscriber
}

// storedRow is a row of the backend, under its key there.
type storedRow struct{ key, row []byte }

// pageSize is how many rows are read at a time.
const pageSize = 256

func (w *walk) begin(s *Subscriptions, from []byte) {
	w.now, w.flying = s.now.seek(from), s.flying.seek(from)
	w.from = appendKey(w.from[:0], s.entry.ID, from)
	w.page, w.at, w.whole = w.page[:0], 0, false
}

// pass goes beyond a key.
func (w *walk) pass(s *Subscriptions, key []byte) {
	if w.now != 0 && bytes.Equal(s.now.key(w.now), key) {
		w.now = s.now.next(w.now)
	}
	if w.flying != 0 && bytes.Equal(s.flying.key(w.flying), key) {
		w.flying = s.flying.next(w.flying)
	}
	w.from = append(w.from, 0)
}

// next is the next key of the prefix, nil if there is none, with what was written last under it.
func (w *walk) next(s *Subscriptions, prefix []byte) (key []byte, sub Subscription, exists bool, err error) {
	if w.at == len(w.page) && !w.whole {
		if err := w.turn(s, prefix); err != nil {
			return nil, sub, false, err
		}
	}
	now, flying := inPrefix(s.now, w.now, prefix), inPrefix(s.flying, w.flying, prefix)
	var stored []byte
	if w.at < len(w.page) {
		stored = w.page[w.at].key[PrefixLen:]
	}
	for _, k := range [...][]byte{now, flying, stored} {
		if k != nil && (key == nil || bytes.Compare(k, key) < 0) {
			key = k
		}
	}
	if key == nil {
		return nil, sub, false, nil
	}
	if stored != nil && bytes.Equal(stored, key) { // the oldest first: what is newer replaces it
		if sub, err = readSubscription(w.page[w.at].row); err != nil {
			return nil, sub, false, err
		}
		exists = true
		w.at++
	}
	if flying != nil && bytes.Equal(flying, key) {
		n := &s.flying.nodes[w.flying]
		sub, exists = n.value, !n.absent
		w.flying = s.flying.next(w.flying)
	}
	if now != nil && bytes.Equal(now, key) {
		n := &s.now.nodes[w.now]
		sub, exists = n.value, !n.absent
		w.now = s.now.next(w.now)
	}
	return key, sub, exists, nil
}

// inPrefix is the key of a node, nil if it does not begin with prefix.
func inPrefix(o *skiplist[Subscription], n uint32, prefix []byte) []byte {
	if n == 0 {
		return nil
	}
	if key := o.key(n); bytes.HasPrefix(key, prefix) {
		return key
	}
	return nil
}

// turn reads the next page.
func (w *walk) turn(s *Subscriptions, prefix []byte) error {
	if w.at > 0 {
		last := w.page[w.at-1].key
		w.from = append(append(w.from[:0], last...), 0)
	}
	w.to = appendEnd(appendKey(w.to[:0], s.entry.ID, prefix))
	w.page, w.bytes, w.at = w.page[:0], w.bytes[:0], 0
	err := s.stores.backend.Scan(w.from, w.to, w.visit)
	if w.whole = err == nil; err == errFound {
		err = nil
	}
	return err
}

// appendEnd makes the first key that does not begin with prefix of it. A prefix here never consists of 0xff alone.
func appendEnd(prefix []byte) []byte {
	for prefix[len(prefix)-1] == 0xff {
		prefix = prefix[:len(prefix)-1]
	}
	prefix[len(prefix)-1]++
	return prefix
}

// read takes a row of the backend into the page.
func (s *Subscriptions) read(key, row []byte) error {
	w := &s.walk
	if len(w.page) == pageSize {
		return errFound
	}
	from := len(w.bytes)
	w.bytes = append(append(w.bytes, key...), row...)
	kept := w.bytes[from:len(w.bytes):len(w.bytes)]
	w.page = append(w.page, storedRow{kept[:len(key):len(key)], kept[len(key):]})
	return nil
}
