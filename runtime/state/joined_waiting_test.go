package state

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/streamgen/streamgen/runtime/record"
)

// waitingRun is a left join in which nothing meets anything.
type waitingRun struct {
	t       *testing.T
	backend *countedBackend
	budget  *Budget
	stores  *Stores
	join    *Joined
	epoch   uint64
	most    int64 // that the budget saw
}

func newWaitingRun(t *testing.T, memory int64) *waitingRun {
	r := &waitingRun{t: t, budget: NewBudget(memory)}
	r.backend = &countedBackend{Memory: NewMemory(Schema{ID: 3, Name: "left", Waits: true}, Schema{ID: 7, Name: "right"})}
	r.open()
	return r
}

// open begins anew with what the backend has, as behind a restart.
func (r *waitingRun) open() {
	if r.stores != nil {
		r.stores.Close()
	}
	r.stores = NewStores(r.backend, r.budget)
	r.join = NewJoined(r.stores, 3, 7, Within{After: 1000}, KeepsLeft)
	r.backend.scans, r.backend.rows = 0, 0
}

func (r *waitingRun) put(key string, timestamp int64) {
	r.t.Helper()
	m, err := r.join.Meet(Left, []byte(key), timestamp)
	if err != nil {
		r.t.Fatal(err)
	}
	r.join.Put(&m, bytes.Repeat([]byte{'v'}, 100), []record.Header{{Key: "of", Value: []byte(key)}})
}

// leave lets what is due leave, n rows at most.
func (r *waitingRun) leave(timestamp int64, n int) (left []string) {
	r.t.Helper()
	for len(left) < n {
		u, err := r.join.Due(timestamp)
		if err != nil {
			r.t.Fatal(err)
		}
		if u == nil {
			break
		}
		if len(u.Row) != 100 || len(u.Headers) != 1 || string(u.Headers[0].Value) != string(u.Key) {
			r.t.Fatalf("%q left with %q and %q", u.Key, u.Row, u.Headers)
		}
		left = append(left, fmt.Sprintf("%d %s", u.Timestamp, u.Key))
	}
	return left
}

// commit is one with a look at the budget before and behind it, as a worker does.
func (r *waitingRun) commit() {
	r.t.Helper()
	r.evict()
	r.epoch++
	f := &Frozen{}
	r.stores.Freeze(r.epoch, 0, f)
	if err := r.backend.Apply(f); err != nil {
		r.t.Fatal(err)
	}
	r.stores.Applied(r.epoch)
	for range 4 {
		r.evict()
	}
}

func (r *waitingRun) evict() {
	r.stores.Evict()
	held, _ := r.budget.Used()
	r.most = max(r.most, held)
}

// away commits, and takes all keys out of memory.
func (r *waitingRun) away() {
	r.t.Helper()
	r.commit()
	for range 2 {
		r.join.sides[Left].evict(0)
	}
	if n := r.join.keys.n; n > 0 {
		r.t.Fatalf("%d keys are in memory", n)
	}
}

// TestJoinedMeetsWhatIsListed says that what was read of the list and is in memory, or was there, meanwhile leaves if it has met nothing, and once.
func TestJoinedMeetsWhatIsListed(t *testing.T) {
	r := newWaitingRun(t, 1<<30)
	for i, key := range []string{"a", "b", "c", "d"} {
		r.put(key, 100+int64(i))
	}
	r.away()
	meet := func(key string, side Side, timestamp int64) (met int) {
		t.Helper()
		m, err := r.join.Meet(side, []byte(key), timestamp)
		if err != nil {
			t.Fatal(err)
		}
		for m.Next() {
			met++
		}
		return met
	}
	expect := func(timestamp int64, want ...string) {
		t.Helper()
		if left := r.leave(timestamp, 10); !slices.Equal(left, want) {
			t.Fatalf("%q left by %d, want %q", left, timestamp, want)
		}
	}
	expect(1101, "100 a")
	if n := len(r.join.sides[Left].listed.entries); n != 4 {
		t.Fatalf("%d entries were read", n)
	}
	if meet("a", Right, 1100)+meet("c", Left, 1101) > 0 || meet("b", Right, 1101) != 1 {
		t.Fatal("a has left, b is there, and c does not meet its own side")
	}
	r.away()
	expect(1103, "102 c")
	expect(1103)
	meet("d", Left, 1103)
	expect(1104, "103 d")
	r.away()
	expect(5000)
}

// TestJoinedWaitsInTheBackend says that rows may wait without memory: what is held stays within the budget while they come and while all
// of them leave at once, in steps, and they leave in order, each once, also if the process is started again meanwhile. That reads the first
// entry of the list, and no row.
func TestJoinedWaitsInTheBackend(t *testing.T) {
	const rows, step, memory = 30_000, 500, 1 << 20
	rnd := rand.New(rand.NewPCG(1, 2))
	r := newWaitingRun(t, memory)
	var want []string
	for i := range rows {
		key, timestamp := fmt.Sprintf("%x\x00%05d", rnd.IntN(16), i), int64(100_000+i/100+rnd.IntN(20))
		if due := r.leave(timestamp, 1); due != nil {
			t.Fatalf("%q left early", due)
		}
		r.put(key, timestamp)
		want = append(want, fmt.Sprintf("%d %s", timestamp, key))
		if i%step == step-1 {
			r.commit()
		}
	}
	slices.Sort(want) // what leaves first is the least: times have six digits, and no key begins with another one
	if n := r.join.sides[Left].waiting.size(); n > rows/5 {
		t.Errorf("%d rows wait in memory", n)
	}
	var got []string
	for n := 0; len(got) < rows; n++ {
		if n%7 == 3 {
			r.open()
			if _, err := r.join.Due(Never); err != nil { // looks for what is there
				t.Fatal(err)
			}
			if seen := r.backend.rows; seen > listedPart+4 {
				t.Fatalf("a restart read %d rows", seen)
			}
			if err := r.stores.Discard(); err != nil {
				t.Fatal(err)
			}
		}
		left := r.leave(900_000, step)
		if len(left) == 0 {
			break
		}
		got = append(got, left...)
		r.commit()
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%d rows left of %d, or in another order", len(got), rows)
	}
	if r.most > memory*5/4 {
		t.Errorf("held %d bytes, the limit is %d", r.most, memory)
	}
	for _, id := range []uint16{3, 3 | deadlineStore} {
		if err := EachRow(r.backend, id, func(key []byte, _ int64, _ []byte) error { return fmt.Errorf("%q is left", key) }); err != nil {
			t.Error(err)
		}
	}
}

// TestJoinedListsWhatIsThere says that a database which was opened without a list of what waits gets one of the rows that are there.
func TestJoinedListsWhatIsThere(t *testing.T) {
	shared := newShared(Options{Memory: 16 << 20}, vfs.NewMem())
	defer shared.Close()
	for i, c := range []struct {
		waits bool
		time  int64
		want  []string
	}{{true, 120, nil}, {false, 0, nil}, {true, 1117, []string{"100 a", "110 b", "116 d"}}, {true, 5000, []string{"120 c"}}, {true, 5000, nil}} {
		b, err := shared.Open("task", []Schema{{ID: 3, Name: "left", Waits: c.waits}, {ID: 7, Name: "right"}})
		if err != nil {
			t.Fatal(err)
		}
		r := &waitingRun{t: t, stores: NewStores(b, nil)}
		if c.waits {
			r.join = NewJoined(r.stores, 3, 7, Within{After: 1000}, KeepsLeft)
			if left := r.leave(c.time, 10); !slices.Equal(left, c.want) {
				t.Errorf("%d: %q left, want %q", i, left, c.want)
			}
		}
		if !c.waits { // what comes from the changelog is not listed
			j, m := NewJoined(r.stores, 3, 7, Within{After: 1000}, KeepsNone), NewRestorer(b, 3)
			row := appendHeaders([]byte{joinedHeaders}, []record.Header{{Key: "of", Value: []byte("d")}})
			if _, err := m.Add(j.appendKey(nil, 116, []byte("d"), 9), append(row, bytes.Repeat([]byte{'v'}, 100)...), 116, 5); err != nil {
				t.Fatal(err)
			}
			if err := m.Flush(6); err != nil {
				t.Fatal(err)
			}
		}
		if i == 0 {
			r.put("b", 110)
			r.put("a", 100)
			r.put("c", 120)
		}
		var f Frozen
		run(t, r.stores, b, &f, uint64(i+1))
		r.stores.Close()
		mustClose(t, b)
	}
}
