package state

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
)

// Checkpoint is how far a backend's rows go. It changes in the same batch as they do.
type Checkpoint struct {
	Epoch uint64 // last epoch applied; 0: none

	// Wall is the time of day, in milliseconds since the Unix epoch, up to which deletes are known: when the last epoch was
	// frozen. Applying a Frozen that has nothing but a Wall moves it: at the end of a restore, and now and then when idle.
	Wall int64

	Sources    []SourcePosition    // by topic and partition
	Changelogs []ChangelogPosition // by store
	Clocks     []ClockValue        // by store and name
}

// SourcePosition is the offset to read next of an input.
type SourcePosition struct {
	Topic     string
	Partition int32
	Next      int64
}

// ChangelogPosition is the offset of a store's changelog from which it has to be restored: all before it is in the backend.
type ChangelogPosition struct {
	Store uint16
	Next  int64 // negative in a Frozen: takes the position and the clocks of the store away
}

// Changelog is the position of a store's changelog; ok is false if there is none, and the store must be restored from the
// beginning.
func (c *Checkpoint) Changelog(store uint16) (next int64, ok bool) {
	for _, p := range c.Changelogs {
		if p.Store == store {
			return p.Next, true
		}
	}
	return 0, false
}

// Source is the position of an input; ok is false if there is none.
func (c *Checkpoint) Source(topic string, partition int32) (next int64, ok bool) {
	for _, p := range c.Sources {
		if p.Topic == topic && p.Partition == partition {
			return p.Next, true
		}
	}
	return 0, false
}

// clone is a copy that shares no slice with c.
func (c *Checkpoint) clone() Checkpoint {
	return Checkpoint{c.Epoch, c.Wall, slices.Clone(c.Sources), slices.Clone(c.Changelogs), slices.Clone(c.Clocks)}
}

// merged is c after f is applied: what f does not mention stays.
func (c *Checkpoint) merged(f *Frozen) Checkpoint {
	m := c.clone()
	older := f.restored && f.Wall < c.Wall // than what another store's changelog said
	if f.Epoch > 0 && !older {
		m.Epoch = f.Epoch
	}
	if f.Wall > 0 && !older {
		m.Wall = f.Wall
	}
	for _, p := range f.Sources {
		m.Sources = put(m.Sources, p, func(a, b SourcePosition) int {
			return cmp.Or(strings.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
		})
	}
	for _, p := range f.Changelogs {
		if p.Next < 0 {
			m.forget(p.Store)
			continue
		}
		m.Changelogs = put(m.Changelogs, p, func(a, b ChangelogPosition) int { return cmp.Compare(a.Store, b.Store) })
	}
	for _, v := range f.Clocks {
		m.Clocks = put(m.Clocks, v, func(a, b ClockValue) int {
			return cmp.Or(cmp.Compare(a.Store, b.Store), strings.Compare(a.Name, b.Name))
		})
	}
	return m
}

// forget drops what is known about a store.
func (c *Checkpoint) forget(store uint16) {
	c.Changelogs = slices.DeleteFunc(c.Changelogs, func(p ChangelogPosition) bool { return p.Store == store })
	c.Clocks = slices.DeleteFunc(c.Clocks, func(v ClockValue) bool { return v.Store == store })
}

// put replaces or inserts x in a sorted list.
func put[T any](list []T, x T, compare func(a, b T) int) []T {
	i, found := slices.BinarySearchFunc(list, x, compare)
	if found {
		list[i] = x
		return list
	}
	return slices.Insert(list, i, x)
}

const checkpointVersion = 1

var errShort = errors.New("too short")

// append encodes c.
func (c *Checkpoint) append(dst []byte) []byte {
	dst = append(dst, checkpointVersion)
	dst = binary.AppendUvarint(dst, c.Epoch)
	dst = binary.AppendVarint(dst, c.Wall)
	dst = binary.AppendUvarint(dst, uint64(len(c.Sources)))
	for _, p := range c.Sources {
		dst = appendText(dst, p.Topic)
		dst = binary.AppendUvarint(dst, uint64(p.Partition))
		dst = binary.AppendVarint(dst, p.Next)
	}
	dst = binary.AppendUvarint(dst, uint64(len(c.Changelogs)))
	for _, p := range c.Changelogs {
		dst = binary.AppendUvarint(dst, uint64(p.Store))
		dst = binary.AppendVarint(dst, p.Next)
	}
	return appendClocks(dst, c.Clocks)
}

// readCheckpoint decodes what append wrote.
func readCheckpoint(src []byte) (c Checkpoint, err error) {
	r := reader{src: src}
	if v := r.byte(); v != checkpointVersion && r.err == nil {
		return c, errors.New("a version of the checkpoint that this program does not know")
	}
	c.Epoch, c.Wall = r.uvarint(), r.varint()
	for range r.count() {
		c.Sources = append(c.Sources, SourcePosition{r.text(), int32(r.uvarint()), r.varint()})
	}
	for range r.count() {
		c.Changelogs = append(c.Changelogs, ChangelogPosition{uint16(r.uvarint()), r.varint()})
	}
	c.Clocks = r.clocks()
	return c, r.err
}
