package state

import (
	"bytes"
	"maps"
	"slices"
	"sync"
)

// Memory is a Backend in memory, for the test driver. It survives Close.
type Memory struct {
	schemas []Schema

	mu         sync.RWMutex
	rows       map[string][]byte
	checkpoint Checkpoint
}

// NewMemory returns an empty backend for the stores.
func NewMemory(stores ...Schema) *Memory {
	return &Memory{schemas: stores, rows: map[string][]byte{}}
}

// Schemas implements Backend.
func (m *Memory) Schemas() []Schema { return m.schemas }

// Get implements Backend.
func (m *Memory) Get(dst, key []byte) ([]byte, bool, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	row, ok := m.rows[string(key)]
	return append(dst, row...), ok, nil
}

// Scan implements Backend. Rows applied meanwhile are not seen.
func (m *Memory) Scan(from, to []byte, f func(key, row []byte) error) error {
	m.mu.RLock()
	rows := maps.Clone(m.rows)
	m.mu.RUnlock()
	for _, k := range slices.Sorted(maps.Keys(rows)) {
		if k < string(from) || k >= string(to) {
			continue
		}
		if err := f([]byte(k), rows[k]); err != nil {
			return err
		}
	}
	return nil
}

// Apply implements Backend.
func (m *Memory) Apply(f *Frozen) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range f.Ranges {
		if t := schemas(m.schemas).timesIn(r); t > 0 {
			for k := range m.rows {
				if r.contains([]byte(k)) && !isIndex([]byte(k)) {
					delete(m.rows, string(indexKey(nil, []byte(k), t)))
				}
			}
		}
		maps.DeleteFunc(m.rows, func(k string, _ []byte) bool { return r.contains([]byte(k)) })
	}
	for _, c := range f.Changes {
		if c.Row == nil {
			delete(m.rows, string(c.Key))
		} else {
			m.rows[string(c.Key)] = bytes.Clone(c.Row)
		}
		if t := schemas(m.schemas).times(c.Store); t > 0 {
			if entry := string(indexKey(nil, c.Key, t)); c.Row == nil {
				delete(m.rows, entry)
			} else {
				m.rows[entry] = nil
			}
		}
	}
	m.checkpoint = m.checkpoint.merged(f)
	return nil
}

// Checkpoint implements Backend.
func (m *Memory) Checkpoint() Checkpoint {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.checkpoint.clone()
}

// Close implements Backend.
func (m *Memory) Close() error { return nil }
