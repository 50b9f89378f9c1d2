package state

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// Which stores a database was made for, and what becomes of those that changed.

// compare holds the stores that the database was made for against those it is opened for.
func (p *Pebble) compare() error {
	known := map[uint16]Schema{}
	var gone []uint16
	err := p.scan(schemaKeys, append(bytes.Clone(schemaKeys), 0xff, 0xff, 0xff), func(key, row []byte) error {
		s, err := readSchema(key, row)
		if err != nil {
			return err
		}
		known[s.ID] = s
		gone = append(gone, s.ID)
		return nil
	})
	if err != nil {
		return err
	}
	b := p.db.NewBatch()
	defer b.Close()
	for _, want := range p.schemas {
		found, ok := known[want.ID]
		if ok && (found.Name != want.Name || found.Fingerprint != want.Fingerprint) {
			return &SchemaError{Where: p.dir, Found: found, Want: want}
		}
		relists := found.TTL != want.TTL || found.Waits != want.Waits
		if ok && relists {
			err = errors.Join(err, p.list(b, want))
		}
		if !ok || relists {
			err = errors.Join(err, b.Set(schemaKey(want.ID), appendSchema(nil, want), nil))
		}
		delete(known, want.ID)
	}
	for _, id := range gone {
		if _, ok := known[id]; !ok {
			continue
		}
		all, list := wholeStore(id), wholeStore(id|deadlineStore)
		err = errors.Join(err, b.DeleteRange(all.From, all.To, nil), b.DeleteRange(list.From, list.To, nil), b.Delete(schemaKey(id), nil))
		p.checkpoint.forget(id)
	}
	if err != nil || b.Empty() {
		return err
	}
	return errors.Join(b.Set(checkpointKey, p.checkpoint.append(nil), nil), b.Commit(pebble.NoSync), p.db.Flush())
}

// list makes the list anew of when the rows of a store end or leave, which had another time to live or none, or of which no row waited. What b
// holds is written with the last of it.
func (p *Pebble) list(b *pebble.Batch, s Schema) error {
	all, list := wholeStore(s.ID), wholeStore(s.ID|deadlineStore)
	part := p.db.NewBatch()
	defer func() { _ = part.Close() }()
	if err := part.DeleteRange(list.From, list.To, nil); err != nil || s.TTL == 0 && !s.Waits {
		return errors.Join(err, b.Apply(part, nil))
	}
	err := p.Scan(all.From, all.To, func(key, row []byte) error {
		var err error
		if p.scratch, err = s.appendListed(p.scratch[:0], key, row); err != nil || len(p.scratch) == 0 {
			return err
		}
		if err := part.Set(p.scratch, nil, nil); err != nil || part.Len() < chunkBytes {
			return err
		}
		err = part.Commit(pebble.NoSync)
		_ = part.Close()
		part = p.db.NewBatch()
		return err
	})
	return errors.Join(err, b.Apply(part, nil))
}

// appendListed appends what a row is listed by, if it is.
func (s Schema) appendListed(dst, key, row []byte) ([]byte, error) {
	switch {
	case len(row) < TimestampLen:
		return dst, errShort
	case s.TTL > 0:
		return appendDeadline(dst, s.ID, after(int64(binary.BigEndian.Uint64(row)), s.TTL), key[PrefixLen:]), nil
	case !joinedWaits(row):
		return dst, nil
	}
	of, timestamp, seq, err := splitJoined(key[PrefixLen:])
	if err != nil {
		return dst, err
	}
	return appendListed(dst, s.ID, timestamp, of, seq), nil
}

func schemaKey(id uint16) []byte {
	return append(bytes.Clone(schemaKeys), byte(id>>8), byte(id))
}

func appendSchema(dst []byte, s Schema) []byte {
	dst = appendText(appendText(dst, s.Name), s.Fingerprint)
	if s.TTL > 0 || s.Waits {
		dst = binary.AppendVarint(dst, s.TTL)
	}
	if s.Waits {
		dst = append(dst, 1)
	}
	return dst
}

func readSchema(key, row []byte) (Schema, error) {
	r := reader{src: row}
	s := Schema{Name: r.text(), Fingerprint: r.text()}
	if len(r.src) > 0 {
		s.TTL = r.varint()
	}
	s.Waits = len(r.src) > 0 && r.byte() == 1
	if r.err != nil || len(key) != len(schemaKeys)+2 {
		return s, fmt.Errorf("%w: schema of a store", ErrCorrupt)
	}
	s.ID = uint16(key[len(schemaKeys)])<<8 | uint16(key[len(schemaKeys)+1])
	return s, nil
}
