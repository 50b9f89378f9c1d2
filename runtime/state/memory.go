package state

import (
	"bytes"
	"slices"
	"strings"
	"sync"
)

// Memory is a Backend in memory, for the test driver. It survives Close.
//
// Rows lie in key order in short runs. A run is never written again: what changes a row copies its run, so that a scan goes on over what it
// began with, and costs what it reads.
type Memory struct {
	schemas []Schema

	apply sync.Mutex // one Apply at a time

	mu         sync.RWMutex
	runs       memoryRows
	checkpoint Checkpoint
}

// memoryRun is never empty.
type memoryRun []memoryRow

type memoryRow struct {
	key string
	row []byte
}

const maxRun = 32

// NewMemory returns an empty backend for the stores.
func NewMemory(stores ...Schema) *Memory { return &Memory{schemas: stores} }

// Schemas implements Backend.
func (m *Memory) Schemas() []Schema { return m.schemas }

// snapshot are the rows as they are.
func (m *Memory) snapshot() memoryRows {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.runs
}

// Get implements Backend.
func (m *Memory) Get(dst, key []byte) ([]byte, bool, error) {
	rows := m.snapshot()
	if i, j, ok := rows.search(string(key)); ok {
		return append(dst, rows[i][j].row...), true, nil
	}
	return dst, false, nil
}

// Scan implements Backend. Rows applied meanwhile are not seen.
func (m *Memory) Scan(from, to []byte, f func(key, row []byte) error) error {
	rows := m.snapshot()
	for i, j, _ := rows.search(string(from)); i < len(rows); i, j = i+1, 0 {
		for _, r := range rows[i][j:] {
			if r.key >= string(to) {
				return nil
			}
			if err := f([]byte(r.key), r.row); err != nil {
				return err
			}
		}
	}
	return nil
}

// Apply implements Backend.
func (m *Memory) Apply(f *Frozen) error {
	m.apply.Lock()
	defer m.apply.Unlock()
	rows := slices.Clone(m.snapshot())
	for _, r := range f.Expired {
		rows.deleteRange(string(r.From), string(r.To))
	}
	for _, r := range f.Ranges {
		if t := schemas(m.schemas).timesIn(r); t > 0 {
			_ = m.Scan(r.From, r.To, func(key, _ []byte) error {
				if !isIndex(key) {
					rows.delete(string(indexKey(nil, key, t)))
				}
				return nil
			})
		}
		rows.deleteRange(string(r.From), string(r.To))
	}
	for _, c := range f.Changes {
		rows.change(string(c.Key), bytes.Clone(c.Row), c.Row == nil)
		if t := schemas(m.schemas).times(c.Store); t > 0 {
			rows.change(string(indexKey(nil, c.Key, t)), nil, c.Row == nil)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runs, m.checkpoint = rows, m.checkpoint.merged(f)
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

// len is the number of rows, index entries among them.
func (m *Memory) len() (n int) {
	for _, run := range m.snapshot() {
		n += len(run)
	}
	return n
}

// memoryRows are the runs of a snapshot, or of one that is being made.
type memoryRows []memoryRun

// search finds the place of a key: its run and its row there, behind the last row if it is greater than all.
func (m memoryRows) search(key string) (run, row int, found bool) {
	run, found = slices.BinarySearchFunc(m, key, func(r memoryRun, key string) int { return strings.Compare(r[len(r)-1].key, key) })
	if found {
		return run, len(m[run]) - 1, true
	}
	if run == len(m) {
		return run, 0, false
	}
	row, found = slices.BinarySearchFunc(m[run], key, func(r memoryRow, key string) int { return strings.Compare(r.key, key) })
	return run, row, found
}

func (m *memoryRows) change(key string, row []byte, gone bool) {
	if gone {
		m.delete(key)
		return
	}
	i, j, found := m.search(key)
	switch {
	case found:
		run := slices.Clone((*m)[i])
		run[j].row = row
		(*m)[i] = run
		return
	case len(*m) == 0:
		*m = memoryRows{{{key, row}}}
		return
	case i == len(*m): // behind all
		i--
		j = len((*m)[i])
	}
	run := slices.Insert(slices.Clip((*m)[i]), j, memoryRow{key, row}) // clipped: a copy
	if len(run) <= maxRun {
		(*m)[i] = run
		return
	}
	half := len(run) / 2
	if j == len(run)-1 { // rows that come in order fill their runs
		half = j
	}
	(*m)[i] = run[half:]
	*m = slices.Insert(*m, i, run[:half:half])
}

func (m *memoryRows) delete(key string) {
	if i, j, found := m.search(key); found {
		m.cut(i, j, i, j+1)
	}
}

func (m *memoryRows) deleteRange(from, to string) {
	i, j, _ := m.search(from)
	k, l, _ := m.search(to)
	if from < to {
		m.cut(i, j, k, l)
	}
}

// cut takes the rows from row j of run i to row l of run k out, the last one excluded.
func (m *memoryRows) cut(i, j, k, l int) {
	if i == len(*m) {
		return
	}
	rest := slices.Clone((*m)[i][:j])
	if k < len(*m) {
		rest = append(rest, (*m)[k][l:]...)
		k++
	}
	if len(rest) == 0 {
		*m = slices.Delete(*m, i, k)
		return
	}
	*m = slices.Replace(*m, i, k, memoryRun(rest))
}
