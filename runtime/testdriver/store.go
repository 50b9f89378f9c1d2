package testdriver

import (
	"bytes"
	"fmt"
	"math"

	"github.com/streamgen/streamgen/runtime/state"
	"github.com/streamgen/streamgen/runtime/topology"
)

// Row is a row of a store.
type Row struct {
	Partition int32
	Key       []byte
	Timestamp int64
	JSON      string // of the value; of a deleted row that has a history null

	// AsOf is what a versioned store answers for the key as of a time: the value as JSON, null if there was no row, and the
	// timestamp of the version. Of other stores it is nil.
	AsOf func(timestamp int64) (json string, at int64, err error)
}

// Store returns the committed rows of a store, by partition and key.
func (d *Driver) Store(name string) ([]Row, error) {
	for _, g := range d.globals {
		if g.table.Store.Name == name {
			return g.rows()
		}
	}
	var rows []Row
	found := false
	for _, u := range d.tasks {
		for _, s := range u.sub.Stores {
			if s.Name != name {
				continue
			}
			found = true
			err := state.EachRow(u.disk, s.ID, func(key []byte, timestamp int64, value []byte) error {
				if s.Kind == topology.VersionedStore {
					row, err := u.versions(&s, key, value)
					rows = append(rows, row)
					return err
				}
				row, err := rowOf(&s, u.partition, key, timestamp, value)
				rows = append(rows, row)
				return err
			})
			if err != nil {
				return nil, err
			}
		}
	}
	if !found {
		return nil, fmt.Errorf("testdriver: there is no store %q", name)
	}
	return rows, nil
}

// rowOf is a row as the database of a task has it.
func rowOf(s *topology.Store, partition int32, key []byte, timestamp int64, value []byte) (Row, error) {
	text, err := s.JSON(nil, value)
	if err != nil {
		return Row{}, fmt.Errorf("store %q: row %q: %w", s.Name, key, err)
	}
	return Row{Partition: partition, Key: bytes.Clone(s.KeyBytes(key, timestamp)), Timestamp: timestamp, JSON: string(text)}, nil
}

// rows are those of a global table, which has no partitions.
func (g *global) rows() (rows []Row, err error) {
	s := &g.table.Store
	err = state.EachRow(g.disk, s.ID, func(key []byte, timestamp int64, value []byte) error {
		row, err := rowOf(s, 0, key, timestamp, value)
		rows = append(rows, row)
		return err
	})
	return rows, err
}

// versions is a row of a versioned store.
func (u *unit) versions(s *topology.Store, key, versions []byte) (Row, error) {
	versions = bytes.Clone(versions)
	begins := int64(math.MinInt64)
	for _, c := range u.disk.Checkpoint().Clocks {
		if c.Store == s.ID && c.Name == "time" {
			begins = c.Time - s.History.Milliseconds()
		}
	}
	row := Row{Partition: u.partition, Key: bytes.Clone(key)}
	row.AsOf = func(timestamp int64) (string, int64, error) {
		value, at, err := state.VersionAsOf(versions, timestamp, begins)
		if err != nil || value == nil {
			return "null", 0, err
		}
		text, err := s.JSON(nil, value)
		return string(text), at, err
	}
	var err error
	row.JSON, row.Timestamp, err = row.AsOf(math.MaxInt64)
	return row, err
}
