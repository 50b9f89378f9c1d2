package state

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/streamgen/streamgen/runtime/record"
)

// subscribed is what the store should hold.
type subscribed map[string]map[string]Subscription

func (m subscribed) clone() subscribed {
	c := subscribed{}
	for on, of := range m {
		c[on] = maps.Clone(of)
	}
	return c
}

func (m subscribed) list(on string) (all []string) {
	for _, key := range slices.Sorted(maps.Keys(m[on])) {
		all = append(all, fmt.Sprintf("%q %x %d", key, m[on][key].Digest, m[on][key].Partition))
	}
	return all
}

// Against maps, through epochs, aborts and restarts, with foreign keys that begin with others, and changes whose telling rests.
func TestSubscriptions(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 2))
	b := NewMemory(testSchemas...)
	s := NewStores(b, nil)
	subs := NewSubscriptions(s, 7)
	model, committed := subscribed{}, subscribed{}
	ons := []string{"", "f", "f1", "f10", "g", "\xff", "\x00", "long long long long long long long foreign key"}
	var f Frozen
	var epoch uint64
	told, rested := 0, 0
	commit := func() {
		epoch++
		run(t, s, b, &f, epoch)
		committed = model.clone()
	}
	restart := func() {
		if random.IntN(2) == 0 {
			s.Close()
			s = NewStores(b, nil)
			subs = NewSubscriptions(s, 7)
		} else if err := s.Discard(); err != nil {
			t.Fatal(err)
		}
		model = committed.clone()
	}
	for step := range 40_000 {
		on, key := ons[random.IntN(len(ons))], fmt.Sprint("key", random.IntN(400))
		switch n := random.IntN(100); {
		case n < 70:
			sub := Subscription{Digest: [16]byte{byte(step), byte(step >> 8)}, Partition: int32(random.IntN(300))}
			subs.Put([]byte(on), []byte(key), sub, int64(step))
			if model[on] == nil {
				model[on] = map[string]Subscription{}
			}
			model[on][key] = sub
		case n < 95:
			subs.Delete([]byte(on), []byte(key), int64(step))
			delete(model[on], key)
		case n < 97:
			commit()
		case n < 98:
			restart()
		default:
			// Nothing is subscribed while a change is told; it may be committed on the way, or aborted and told again from there.
			row := []byte(fmt.Sprint("row ", step))
			headers := []record.Header{{Key: "h", Value: []byte("v")}}
			subs.Tell([]byte(on), row, int64(step), headers)
			var got, atCommit []string
			rests := random.IntN(3) == 0
			stored := false
			for subs.Due() {
				change, err := subs.Next()
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(change.Row, row) || change.Timestamp != int64(step) || len(change.Headers) != 1 || string(change.Headers[0].Value) != "v" {
					t.Fatalf("step %d: the change is %+v", step, change)
				}
				for n := 1 + random.IntN(100); !rests || n > 0; n-- {
					to, err := subs.NextSubscriber()
					if err != nil {
						t.Fatal(err)
					}
					if to == nil {
						break
					}
					got = append(got, fmt.Sprintf("%q %x %d", to.Key, to.Digest, to.Partition))
				}
				if !rests || !subs.Due() {
					continue
				}
				rested++
				if commit(); random.IntN(4) == 0 {
					restart()
				}
				if atCommit, stored = slices.Clone(got), true; random.IntN(4) == 0 {
					restart()
					got = slices.Clone(atCommit)
				}
			}
			if stored { // with what was committed, nobody is told again
				commit()
				restart()
				if subs.Due() {
					t.Fatalf("step %d: a change that is over is told again", step)
				}
			}
			if want := model.list(on); !slices.Equal(got, want) {
				t.Fatalf("step %d: told %d of those on %q, should be %d:\n%q\n%q", step, len(got), on, len(want), got, want)
			}
			told += len(got)
		}
	}
	if told < 20_000 || rested < 100 {
		t.Errorf("%d were told, telling rested %d times", told, rested)
	}
}

// TestSubscriptionsStayOnDisk: however many are subscribed to a row, a page of them is in memory.
func TestSubscriptionsStayOnDisk(t *testing.T) {
	s := NewStores(NewMemory(testSchemas...), nil)
	b := s.backend
	subs := NewSubscriptions(s, 7)
	var f Frozen
	const many = 100_000
	for i := range many {
		subs.Put([]byte("f"), fmt.Appendf(nil, "key %07d", i), Subscription{Partition: 1}, 1)
		if i%1000 == 999 {
			run(t, s, b.(*Memory), &f, uint64(i/1000+1))
		}
	}
	subs.Tell([]byte("f"), []byte("row"), 2, nil)
	if _, err := subs.Next(); err != nil {
		t.Fatal(err)
	}
	n, most := 0, int64(0)
	for {
		to, err := subs.NextSubscriber()
		if err != nil {
			t.Fatal(err)
		}
		if to == nil {
			break
		}
		n++
		held, _ := s.memory()
		most = max(most, held)
	}
	if n != many || most > 1<<20 {
		t.Errorf("told %d of %d, with up to %d bytes", n, many, most)
	}
}
