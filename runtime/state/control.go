package state

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// A changelog record has the key of its row, the value of its row and the timestamp of its row: what Kafka Streams writes,
// too. Beside rows a changelog holds control records. Their keys begin with reserved and a zero byte; a row's key that
// happens to begin with reserved has a one inserted behind it, so the two never meet, whatever the keys of rows are.
var reserved = []byte{0xff, 'S', 'G'}

const (
	reservedControl = 0
	reservedRow     = 1
)

// ControlKind is what a control record is about. A changelog partition keeps the last of each kind.
type ControlKind byte

// The kinds of control record.
const (
	// Commit closes a store's part of an epoch.
	Commit ControlKind = 'c'

	// Marker is written by the new owner of a partition in a transaction of its own: when it reads it back, it has seen
	// everything that was committed before.
	Marker ControlKind = 'm'
)

// Control is a control record of a store's changelog.
type Control struct {
	Kind        ControlKind
	Epoch       uint64 // of a Commit
	Wall        int64  // of a Commit: when the epoch was frozen, in milliseconds since the Unix epoch
	Fingerprint string // of the rows before it
	Clocks      []ClockValue
	Nonce       []byte // of a Marker: tells it from the markers of others
}

// ControlKey is the key of the control records of a kind.
func ControlKey(k ControlKind) []byte {
	return append(bytes.Clone(reserved), reservedControl, byte(k))
}

const controlVersion = 1

// AppendControl appends the value of a control record.
func AppendControl(dst []byte, c *Control) []byte {
	dst = append(dst, controlVersion)
	dst = binary.AppendUvarint(dst, c.Epoch)
	dst = binary.AppendVarint(dst, c.Wall)
	dst = appendText(dst, c.Fingerprint)
	dst = appendClocks(dst, c.Clocks)
	return append(binary.AppendUvarint(dst, uint64(len(c.Nonce))), c.Nonce...)
}

// ParseControl reads a control record of a changelog. It returns nil without an error for the record of a row.
func ParseControl(key, value []byte) (*Control, error) {
	if len(key) <= len(reserved) || !bytes.HasPrefix(key, reserved) || key[len(reserved)] != reservedControl {
		return nil, nil
	}
	if len(key) != len(reserved)+2 {
		return nil, fmt.Errorf("control record with the key %x", key)
	}
	c := &Control{Kind: ControlKind(key[len(reserved)+1])}
	r := reader{src: value}
	if v := r.byte(); v != controlVersion && r.err == nil {
		return nil, errors.New("control record of a version that this program does not know")
	}
	c.Epoch, c.Wall, c.Fingerprint, c.Clocks = r.uvarint(), r.varint(), r.text(), r.clocks()
	c.Nonce = bytes.Clone(r.bytes())
	if r.err != nil {
		return nil, fmt.Errorf("control record: %w", r.err)
	}
	return c, nil
}

// rowKey is the row's key of the changelog record's key, which is none of a control record.
func rowKey(dst, key []byte) []byte {
	if len(key) > len(reserved) && bytes.HasPrefix(key, reserved) {
		return append(append(dst, reserved...), key[len(reserved)+1:]...)
	}
	return append(dst, key...)
}

// changelogKey is the changelog record's key of the row's key, which lies in f.
func (f *Frozen) changelogKey(key []byte) []byte {
	if !bytes.HasPrefix(key, reserved) {
		return key
	}
	k := append(append(f.arena.Tail(), reserved...), reservedRow)
	return f.arena.Keep(append(k, key[len(reserved):]...))
}

// control adds the control record of a store that moved.
func (f *Frozen) control(e *entry) {
	c := Control{Kind: Commit, Epoch: f.Epoch, Wall: f.Wall, Fingerprint: e.Fingerprint, Clocks: e.values()}
	f.controls = append(f.controls, ChangelogRecord{
		Store: e.ID, Key: commitKey, Value: f.arena.Keep(AppendControl(f.arena.Tail(), &c)), Timestamp: f.Wall,
	})
}

var commitKey = ControlKey(Commit)
