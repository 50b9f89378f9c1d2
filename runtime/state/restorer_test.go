package state

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

func FuzzControl(f *testing.F) {
	f.Add([]byte{}, []byte{})
	f.Add(commitKey, AppendControl(nil, &Control{Kind: Commit, Epoch: 3, Clocks: []ClockValue{{1, "c", 5}}}))
	f.Add([]byte{0xff, 'S', 'G'}, []byte{1})
	f.Fuzz(func(t *testing.T, key, value []byte) {
		// A row's key comes back, and is never taken for that of a control record.
		var frozen Frozen
		logged := frozen.changelogKey(key)
		if c, err := ParseControl(logged, value); c != nil || err != nil {
			t.Fatalf("the row %x is the control record %+v %v", key, c, err)
		}
		if got := rowKey(nil, logged); !bytes.Equal(got, key) {
			t.Fatalf("%x came back as %x", key, got)
		}
		// Whatever is read as a control record is written as it was read.
		c, err := ParseControl(commitKey, value)
		if err == nil {
			again, err := ParseControl(commitKey, AppendControl(nil, c))
			if err != nil || !reflect.DeepEqual(c, again) {
				t.Fatalf("%+v came back as %+v %v", c, again, err)
			}
		}
		if c, err := readCheckpoint(value); err == nil {
			again, err := readCheckpoint(c.append(nil))
			if err != nil || !reflect.DeepEqual(c, again) {
				t.Fatalf("%+v came back as %+v %v", c, again, err)
			}
		}
	})
}

func TestControlRecords(t *testing.T) {
	marker := Control{Kind: Marker, Nonce: []byte{1, 2, 3}}
	commit := Control{Kind: Commit, Epoch: 1 << 40, Wall: -5, Fingerprint: "string:row", Clocks: []ClockValue{{3, "stream", Never}, {3, "closed", 7}}, Nonce: []byte{}}
	for _, c := range []Control{marker, commit} {
		value := AppendControl(nil, &c)
		got, err := ParseControl(ControlKey(c.Kind), value)
		if err != nil || fmt.Sprintf("%+v", *got) != fmt.Sprintf("%+v", c) {
			t.Errorf("%+v came back as %+v %v", c, got, err)
		}
		for n := range value {
			if _, err := ParseControl(ControlKey(c.Kind), value[:n]); err == nil {
				t.Errorf("cut to %d bytes it is no error", n)
			}
		}
		value[0]++
		if _, err := ParseControl(ControlKey(c.Kind), value); err == nil {
			t.Error("another version is no error")
		}
	}
}

// restoreLog is a changelog of n records over keys keys, with the rows it amounts to.
func restoreLog(n, keys int) (log []ChangelogRecord, rows map[string]string) {
	rows = map[string]string{}
	for i := range n {
		key := fmt.Sprintf("key-%d", i*7919%keys)
		r := ChangelogRecord{Store: 7, Key: []byte(key), Timestamp: int64(i)}
		if i%11 == 0 {
			delete(rows, key)
		} else {
			r.Value = []byte(strings.Repeat("v", i%30))
			rows[key] = string(r.Value)
		}
		log = append(log, r)
	}
	return log, rows
}

func TestRestoreGoesOnWhereItWas(t *testing.T) {
	shared := newShared(Options{Memory: 16 << 20}, vfs.NewMem())
	defer shared.Close()
	log, rows := restoreLog(50_000, 9000)
	p := mustOpen(t, shared, "task", testSchemas...)
	r := NewRestorer(p, 7)
	if r.Next() >= 0 {
		t.Fatalf("a new store is restored from %d", r.Next())
	}
	for i, c := range log[:30_000] {
		if _, err := r.Add(c.Key, c.Value, c.Timestamp, int64(i)); err != nil {
			t.Fatal(err)
		}
	}
	mustClose(t, p) // what was not flushed is read again

	p = mustOpen(t, shared, "task", testSchemas...)
	defer mustClose(t, p)
	r = NewRestorer(p, 7)
	from := r.Next()
	if from < 30_000-chunkRecords || from > 30_000 {
		t.Fatalf("goes on at %d", from)
	}
	for i := from; i < int64(len(log)); i++ {
		if _, err := r.Add(log[i].Key, log[i].Value, log[i].Timestamp, i); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Flush(int64(len(log)) + 1); err != nil { // behind a marker
		t.Fatal(err)
	}
	if got := rowsOf(t, p, 7); !maps.Equal(got, rows) {
		t.Fatalf("%d rows, want %d, or other ones", len(got), len(rows))
	}
	c := p.Checkpoint()
	if next, _ := c.Changelog(7); next != int64(len(log))+1 {
		t.Fatalf("position %d", next)
	}
	if err := r.Reset(); err != nil {
		t.Fatal(err)
	}
	c = p.Checkpoint()
	if _, ok := c.Changelog(7); ok || r.Next() >= 0 || len(rowsOf(t, p, 7)) != 0 {
		t.Fatal("something is left after Reset")
	}
}

func TestRestoreRefusesAnotherFormat(t *testing.T) {
	b := NewMemory(testSchemas...)
	r := NewRestorer(b, 7)
	log, _ := restoreLog(chunkRecords+10, 100)
	for i, c := range log {
		if _, err := r.Add(c.Key, c.Value, c.Timestamp, int64(i)); err != nil {
			t.Fatal(err)
		}
	}
	value := AppendControl(nil, &Control{Kind: Commit, Epoch: 1, Fingerprint: "v0"})
	_, err := r.Add(commitKey, value, 0, int64(len(log)))
	var schema *SchemaError
	if !errors.As(err, &schema) || !strings.Contains(err.Error(), `store "entities" in its changelog was written with another format of its rows: v0 there, v1 in the program`) {
		t.Fatal(err)
	}
	if c := b.Checkpoint(); len(rowsOf(t, b, 7)) != 0 || len(c.Changelogs) != 0 {
		t.Fatal("rows of another format are left, and the next start would not notice")
	}
}

func TestRestoreHandsOutMarkersAndTakesClocks(t *testing.T) {
	b := NewMemory(testSchemas...)
	r := NewRestorer(b, 7)
	marker := Control{Kind: Marker, Nonce: []byte("mine")}
	commit := Control{Kind: Commit, Epoch: 12, Wall: 99, Fingerprint: "v1", Clocks: []ClockValue{{3, "stream", 5}}}
	for i, c := range []Control{commit, marker} {
		got, err := r.Add(ControlKey(c.Kind), AppendControl(nil, &c), 0, int64(i))
		if err != nil || got == nil || got.Kind != c.Kind || !bytes.Equal(got.Nonce, c.Nonce) {
			t.Fatalf("%+v %v", got, err)
		}
	}
	if err := r.Flush(2); err != nil {
		t.Fatal(err)
	}
	want := Checkpoint{Epoch: 12, Wall: 99, Changelogs: []ChangelogPosition{{7, 2}}, Clocks: []ClockValue{{7, "stream", 5}}}
	if got := b.Checkpoint(); fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		t.Fatalf("%+v, want %+v", got, want)
	}
	older := Control{Kind: Commit, Epoch: 11, Wall: 98, Fingerprint: "v1"}
	r = NewRestorer(b, 8)
	if _, err := r.Add(commitKey, AppendControl(nil, &older), 0, 0); err != nil {
		t.Fatal(err)
	}
	if err := r.Flush(1); err != nil {
		t.Fatal(err)
	}
	if c := b.Checkpoint(); c.Epoch != 12 || c.Wall != 99 {
		t.Fatalf("a changelog that ends earlier took the checkpoint back: %+v", c)
	}
	s := NewStores(b, nil)
	NewKeyValue(s, 7, count)
	if c := s.Clock(7, "stream"); c.Time != 5 {
		t.Fatalf("the clock is at %d", c.Time)
	}
}
