package state

import (
	"bytes"
	"fmt"
	"slices"
)

// A chunk of a Restorer is applied when it has that many records or bytes.
const (
	chunkRecords = 8192
	chunkBytes   = 1 << 20
)

// Restorer applies the records of one store's changelog to a backend, in chunks: of several records of a key within a chunk
// only the last is written. The position of the changelog is part of each batch, so a restore that is interrupted goes on
// where it was. It bypasses Stores: those are made afterwards.
//
// Different stores of one backend may be restored by different goroutines at once, with a Restorer each.
type Restorer struct {
	backend Backend
	schema  Schema
	next    int64
	chunk   Frozen
	key     []byte // scratch
}

// NewRestorer begins to restore the store with that id, which b was opened for.
func NewRestorer(b Backend, store uint16) *Restorer {
	i := slices.IndexFunc(b.Schemas(), func(c Schema) bool { return c.ID == store })
	r := &Restorer{backend: b, schema: b.Schemas()[i], next: -1}
	c := b.Checkpoint()
	if next, ok := c.Changelog(store); ok {
		r.next = next
	}
	return r
}

// Next is the offset of the changelog to read next; negative: from the beginning.
func (r *Restorer) Next() int64 { return r.next }

// Add takes the next record of the changelog. For a control record it returns what it says. The error is a *SchemaError if
// the changelog holds rows of another format; the store is then empty again.
func (r *Restorer) Add(key, value []byte, timestamp, offset int64) (*Control, error) {
	r.next = offset + 1
	c, err := ParseControl(key, value)
	if err != nil {
		return nil, fmt.Errorf("changelog of store %q, offset %d: %w", r.schema.Name, offset, err)
	}
	if c != nil {
		return c, r.control(c)
	}
	r.key = rowKey(r.key[:0], key)
	ch := r.chunk.change(r.schema.ID, r.key, timestamp)
	if value != nil {
		ch.Row = r.chunk.arena.Keep(append(r.chunk.rowTail(timestamp), value...))
	}
	return nil, r.full()
}

// AddSource takes the next record of the topic that an unlogged store is made of. row appends the row to its argument, or gives nil for
// a delete.
func (r *Restorer) AddSource(key []byte, timestamp, offset int64, row func(dst []byte) ([]byte, error)) error {
	made, err := row(r.chunk.rowTail(timestamp))
	if err != nil {
		return err
	}
	r.next = offset + 1
	if made != nil {
		made = r.chunk.arena.Keep(made)
	}
	r.chunk.change(r.schema.ID, key, timestamp).Row = made
	return r.full()
}

// full applies the chunk if it is full.
func (r *Restorer) full() error {
	if len(r.chunk.Changes) >= chunkRecords || r.chunk.arena.Len() >= chunkBytes {
		return r.Flush(r.next)
	}
	return nil
}

// control takes over what a control record says.
func (r *Restorer) control(c *Control) error {
	if c.Kind != Commit {
		return nil
	}
	if c.Fingerprint != r.schema.Fingerprint {
		if err := r.Reset(); err != nil {
			return err
		}
		found := r.schema
		found.Fingerprint = c.Fingerprint
		return &SchemaError{Where: "its changelog", Found: found, Want: r.schema}
	}
	r.chunk.Epoch, r.chunk.Wall, r.chunk.restored = c.Epoch, c.Wall, true
	for _, v := range c.Clocks {
		v.Store = r.schema.ID
		r.chunk.Clocks = append(r.chunk.Clocks, v)
	}
	return nil
}

// Flush applies what is left, with next as the position: it may be beyond the last record, behind a transaction's marker.
func (r *Restorer) Flush(next int64) error {
	r.next = next
	c := &r.chunk
	slices.SortStableFunc(c.Changes, func(a, b Change) int { return bytes.Compare(a.Key, b.Key) })
	kept := c.Changes[:0]
	for i, ch := range c.Changes {
		if i+1 == len(c.Changes) || !bytes.Equal(ch.Key, c.Changes[i+1].Key) {
			kept = append(kept, ch)
		}
	}
	c.Changes = kept
	if r.schema.TTL > 0 {
		c.listRestored(r.schema)
	}
	if r.schema.Waits {
		c.listRestoredWaiting(r.schema)
	}
	c.Changelogs = append(c.Changelogs, ChangelogPosition{r.schema.ID, next})
	if err := r.backend.Apply(c); err != nil {
		return fmt.Errorf("restore store %q: %w", r.schema.Name, err)
	}
	c.Reset()
	return nil
}

// Reset empties the store and forgets its position: it is restored from the beginning then. For a changelog that no longer
// reaches back to the position, and for state too old to be trusted.
func (r *Restorer) Reset() error {
	r.chunk.Reset()
	r.next = -1
	f := Frozen{Ranges: []Range{wholeStore(r.schema.ID), wholeStore(r.schema.ID | deadlineStore)}, Changelogs: []ChangelogPosition{{r.schema.ID, -1}}}
	if err := r.backend.Apply(&f); err != nil {
		return fmt.Errorf("empty store %q: %w", r.schema.Name, err)
	}
	return nil
}
