package state

// keyTable finds the places of a key: open addressing, as table has it for rows.
type keyTable struct {
	slots []keySlot
	mask  uint32
	n     int
}

type keySlot struct {
	tag uint32 // hash
	of  *places
}

// find returns the places of key, or nil.
func (t *keyTable) find(hash uint32, key []byte) *places {
	if t.n == 0 {
		return nil
	}
	for i := hash & t.mask; ; i = (i + 1) & t.mask {
		s := &t.slots[i]
		if s.of == nil {
			return nil
		}
		if s.tag == hash && s.of.key == string(key) {
			return s.of
		}
	}
}

// insert adds the places of a key that find did not find.
func (t *keyTable) insert(hash uint32, p *places) {
	if len(t.slots)*5 <= t.n*8 {
		t.rehash(max(minSlots, 2*len(t.slots)))
	}
	t.n++
	t.place(keySlot{hash, p})
}

func (t *keyTable) place(s keySlot) {
	i := s.tag & t.mask
	for t.slots[i].of != nil {
		i = (i + 1) & t.mask
	}
	t.slots[i] = s
}

// remove takes places out that are there, and moves those behind them that they stood in the way of.
func (t *keyTable) remove(p *places) {
	i := hashOf(p.bytes()) & t.mask
	for t.slots[i].of != p {
		i = (i + 1) & t.mask
	}
	for j := (i + 1) & t.mask; t.slots[j].of != nil; j = (j + 1) & t.mask {
		if home := t.slots[j].tag & t.mask; (j-home)&t.mask >= (j-i)&t.mask {
			t.slots[i] = t.slots[j]
			i = j
		}
	}
	t.slots[i] = keySlot{}
	t.n--
}

// trim gives back memory after keys were removed.
func (t *keyTable) trim() {
	if n := len(t.slots); n > minSlots && t.n*8 < n {
		t.rehash(n / 2)
	}
}

func (t *keyTable) rehash(slots int) {
	old := t.slots
	t.slots, t.mask = make([]keySlot, slots), uint32(slots-1)
	for _, s := range old {
		if s.of != nil {
			t.place(s)
		}
	}
}
