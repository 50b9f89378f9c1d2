package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/streamgen/streamgen/runtime/record"
)

// naiveHeld is a change in the naive buffer.
type naiveHeld struct {
	at, timestamp int64
	value         string // "": a delete
	header        string
}

// naiveSuppress keeps a buffer and what has been sent.
type naiveSuppress struct {
	SuppressOptions
	clock int64
	held  map[string]naiveHeld
	sent  map[string]naiveHeld // by key: the rows as they were sent
}

func (n *naiveSuppress) clone() *naiveSuppress {
	c := *n
	c.held, c.sent = maps.Clone(n.held), maps.Clone(n.sent)
	return &c
}

func (n *naiveSuppress) rows() (list []string) {
	for k, h := range n.held {
		list = append(list, fmt.Sprintf("%s at %d: %s@%d, %s", k, h.at, h.value, h.timestamp, h.header))
	}
	if n.Remember {
		for k, h := range n.sent {
			list = append(list, fmt.Sprintf("%s at %d: %s@%d, ", k, int64(sentAt), h.value, h.timestamp))
		}
	}
	return list
}

func (n *naiveSuppress) put(key, value string, at, timestamp int64, header string) {
	n.clock = max(n.clock, timestamp)
	h, ok := n.held[key]
	if !ok {
		h.at = at
	}
	h.value, h.timestamp, h.header = value, timestamp, header
	n.held[key] = h
}

// size is what the buffer holds by its own measure.
func (n *naiveSuppress) size() (size int64) {
	for k, h := range n.held {
		size += int64(len(k)) + 8 + 8 + 1 + 1 + int64(1+len(h.header)+1)
		if h.value != "" {
			size += int64(len(h.value))
		}
	}
	return size
}

func (n *naiveSuppress) full() bool {
	return n.MaxRecords > 0 && int64(len(n.held)) > n.MaxRecords || n.MaxBytes > 0 && n.size() > n.MaxBytes
}

func (n *naiveSuppress) leave() (out []string, failed bool) {
	for {
		keys := slices.SortedFunc(maps.Keys(n.held), func(a, b string) int {
			if n.held[a].at != n.held[b].at {
				return int(n.held[a].at - n.held[b].at)
			}
			return strings.Compare(a, b)
		})
		if len(keys) == 0 {
			return out, false
		}
		k, h := keys[0], n.held[keys[0]]
		due := h.at+n.Wait <= n.clock
		if !due && n.full() && n.Stop {
			return out, true
		}
		if !due && !n.full() {
			return out, false
		}
		delete(n.held, k)
		was, there := n.sent[k]
		if h.value == "" && (!there || !n.Remember) || n.Remember && there && was.value == h.value && was.timestamp == h.timestamp {
			continue
		}
		out = append(out, fmt.Sprintf("%s=%s@%d, %s", k, h.value, h.timestamp, h.header))
		if n.sent[k] = h; h.value == "" {
			delete(n.sent, k)
		}
	}
}

// Suppress buffers are what a naive reading of them says, whatever happens to the store.
func TestSuppressIsNaive(t *testing.T) {
	playTimed(t, 8, func(m *timedRun[*naiveSuppress], rng *rand.Rand) {
		o := SuppressOptions{Wait: rng.Int64N(40)}
		switch rng.IntN(4) {
		case 0:
			o.MaxRecords = rng.Int64N(20) + 1
		case 1:
			o.MaxBytes = rng.Int64N(2000) + 1
		case 2:
			o.MaxRecords, o.Stop = rng.Int64N(20)+5, true
		}
		keys := timedKeys(rng)
		closes := rng.IntN(2) == 0
		o.Remember = !closes // as until a window closes: a time of its own, deletes are forgotten
		var s *Suppress[string]
		m.make = func(stores *Stores) { s = NewSuppress(stores, 7, texts, o) }
		m.done = &naiveSuppress{SuppressOptions: o, clock: Never, held: map[string]naiveHeld{}, sent: map[string]naiveHeld{}}
		now := int64(0)
		m.record = func(n *naiveSuppress) {
			now += rng.Int64N(4)
			key, value := keys[rng.IntN(len(keys))], strings.Repeat(string(rune('a'+rng.IntN(26))), rng.IntN(5))
			timestamp := max(0, now-rng.Int64N(1+rng.Int64N(50)))
			at, header := timestamp, fmt.Sprint(rng.IntN(1000))
			if closes {
				at = (timestamp/10 + 1) * 10
			}
			if closes && value == "" {
				m.check(s.Discard(key, timestamp))
				n.clock = max(n.clock, timestamp)
				delete(n.held, string(key))
			} else {
				r, held, err := s.Put(key, at, timestamp)
				m.check(err)
				h := &r.Value
				h.Value, h.Exists = value, value != ""
				h.KeepHeaders([]record.Header{{Key: header}})
				s.Placed(r, held)
				n.put(string(key), value, at, timestamp, header)
			}
			var got []string
			failed := false
			for s.Due() {
				more, err := s.Close(1+rng.IntN(3), func(key []byte, r *Row[Held[string]]) error {
					h := &r.Value
					got = append(got, fmt.Sprintf("%s=%s@%d, %s", key, h.Value, r.Timestamp, h.Headers[0].Key))
					return nil
				})
				if failed = errors.Is(err, ErrSuppressFull); failed {
					break
				}
				m.check(err)
				if !more && s.Due() {
					m.t.Fatal("all that is due has left, and more is due")
				}
			}
			want, stop := n.leave()
			if !slices.Equal(got, want) || stop != failed {
				m.t.Fatalf("%+v: %s=%s@%d: %q %v, want %q %v", o, key, value, at, got, failed, want, stop)
			}
			if key := keys[rng.IntN(len(keys))]; o.Remember && !failed {
				was, there := n.sent[string(key)]
				r, err := s.Sent(key)
				if m.check(err); (r != nil) != there || there && (r.Value.Value != was.value || r.Timestamp != was.timestamp) {
					m.t.Fatalf("%s was sent as %+v, want %+v", key, r, was)
				}
			} else if !failed {
				_, held := n.held[string(key)]
				end := now - rng.Int64N(60)
				left, err := s.Left(key, end)
				if m.check(err); left != (end+o.Wait <= n.clock && !held) {
					m.t.Fatalf("%s left at %d is %v", key, end, left)
				}
			}
			if failed { // the task stops, and is started again
				m.check(m.stores.Discard())
				m.now = m.done.clone()
				m.restart()
			}
		}
		m.row = func(key, v []byte, timestamp int64) string {
			var h Held[string]
			m.check(s.rows.codec.Read(v, &h))
			header := ""
			for _, h := range h.Headers {
				header = h.Key
			}
			return fmt.Sprintf("%s at %d: %s@%d, %s", key[8:], int64(binary.BigEndian.Uint64(key)), h.Value, timestamp, header)
		}
	})
}

// A change of a key that is in the buffer, or has been, costs no memory of its own.
func TestSuppressAllocatesNothing(t *testing.T) {
	stores := NewStores(NewMemory(Schema{ID: 7, Name: "suppress", Fingerprint: "v1", Times: 8}), nil)
	s := NewSuppress(stores, 7, count, SuppressOptions{Wait: 10, Remember: true})
	key := []byte("user")
	sent := 0
	leave := func([]byte, *Row[Held[int64]]) error { sent++; return nil }
	at, epoch := int64(0), uint64(0)
	var f Frozen
	n := testing.AllocsPerRun(2000, func() {
		at++
		r, held, err := s.Put(key, at, at)
		if err != nil {
			t.Fatal(err)
		}
		r.Value.Value, r.Value.Exists = at, true
		s.Placed(r, held)
		if s.Due() {
			if _, err := s.Close(10, leave); err != nil {
				t.Fatal(err)
			}
		}
		if at%500 == 0 {
			epoch++
			f.Reset()
			stores.Freeze(epoch, 1, &f)
			stores.Applied(epoch)
		}
	})
	if n > 0 || sent < 180 {
		t.Errorf("%.2f allocations a change, %d sent", n, sent)
	}
}
