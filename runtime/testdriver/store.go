package testdriver

import (
	"bytes"
	"fmt"

	"github.com/streamgen/streamgen/runtime/state"
)

// Row is a row of a store.
type Row struct {
	Partition int32
	Key       []byte
	Timestamp int64
	JSON      string // of the value
}

// Store returns the committed rows of a store, by partition and key.
func (d *Driver) Store(name string) ([]Row, error) {
	var rows []Row
	found := false
	for _, u := range d.tasks {
		for _, s := range u.sub.Stores {
			if s.Name != name {
				continue
			}
			found = true
			err := state.EachRow(u.disk, s.ID, func(key []byte, timestamp int64, value []byte) error {
				text, err := s.JSON(nil, value)
				if err != nil {
					return fmt.Errorf("store %q: row %q: %w", name, key, err)
				}
				rows = append(rows, Row{u.partition, bytes.Clone(s.KeyBytes(key)), timestamp, string(text)})
				return nil
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
