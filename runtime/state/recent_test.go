package state

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/streamgen/streamgen/runtime/temporal"
)

// moment is the row format of times.
var moment = Codec[temporal.Timestamp]{
	Append: func(dst []byte, v *temporal.Timestamp) []byte { n := int64(*v); return count.Append(dst, &n) },
	Read: func(src []byte, v *temporal.Timestamp) error {
		var n int64
		err := count.Read(src, &n)
		*v = temporal.Timestamp(n)
		return err
	},
}

// passed is what Seen has to answer, from all that ever passed.
type passed struct {
	within, stream int64
	times          map[string][]int64
}

func (p *passed) seen(key string, t int64) bool {
	p.stream = max(p.stream, t)
	for _, before := range p.times[key] {
		if before >= p.stream-p.within && max(before-t, t-before) <= p.within {
			return true
		}
	}
	p.times[key] = append(p.times[key], t)
	return false
}

// Against a store that never forgets, through epochs, aborts, restarts and eviction, with times out of order.
func TestRecent(t *testing.T) {
	const within = 100
	random := rand.New(rand.NewPCG(1, 2))
	b := NewMemory(testSchemas...)
	budget := NewBudget(64 << 10)
	s := NewStores(b, budget)
	r := NewRecent(s, 7, moment, within)
	model := &passed{within: within, stream: math.MinInt64 / 2, times: map[string][]int64{}}
	type arrival struct {
		key  string
		time int64
	}
	var epoch uint64
	var since []arrival // of the running epoch
	committed := *model
	snapshot := func() {
		committed = passed{within, model.stream, map[string][]int64{}}
		for k, v := range model.times {
			committed.times[k] = append([]int64(nil), v...)
		}
		since = since[:0]
	}
	duplicates, now := 0, int64(1000)
	feed := func(a arrival) {
		got, err := r.Seen([]byte(a.key), a.time)
		if err != nil {
			t.Fatal(err)
		}
		if want := model.seen(a.key, a.time); got != want {
			t.Fatalf("epoch %d: %s at %d, stream time %d: seen %t, want %t; passed at %v", epoch, a.key, a.time, model.stream, got, want, model.times[a.key])
		}
		if got {
			duplicates++
		}
	}
	var f Frozen
	for step := range 60_000 {
		now += random.Int64N(3)
		a := arrival{fmt.Sprint("key-", random.IntN(300)), now - random.Int64N(150)}
		since = append(since, a)
		feed(a)
		switch {
		case step%500 == 499:
			epoch++
			run(t, s, b, &f, epoch)
			snapshot()
		case step%1700 == 1699: // an abort, or a restart
			model = &passed{within, committed.stream, map[string][]int64{}}
			for k, v := range committed.times {
				model.times[k] = append([]int64(nil), v...)
			}
			if step%2 == 0 {
				s.Close()
				s = NewStores(b, budget)
				r = NewRecent(s, 7, moment, within)
			} else if err := s.Discard(); err != nil {
				t.Fatal(err)
			}
			for _, a := range since {
				feed(a)
			}
		}
	}
	if duplicates < 1000 {
		t.Errorf("only %d duplicates", duplicates)
	}
}

// Keys that do not come again do not stay.
func TestRecentForgets(t *testing.T) {
	b := NewMemory(testSchemas...)
	s := NewStores(b, nil)
	r := NewRecent(s, 7, moment, 1000)
	var f Frozen
	largest := 0
	for epoch := range uint64(200) {
		for i := range 200 {
			if seen, err := r.Seen(fmt.Appendf(nil, "%d-%d", epoch, i), int64(epoch)*200+int64(i)); seen || err != nil {
				t.Fatal(seen, err)
			}
		}
		run(t, s, b, &f, epoch+1)
		rows := 0
		if err := EachRow(b, 7, func([]byte, int64, []byte) error { rows++; return nil }); err != nil {
			t.Fatal(err)
		}
		largest = max(largest, rows)
	}
	// 1000 are remembered; a look at each that is there takes a quarter as many new ones.
	if largest < 1000 || largest > 2000 {
		t.Errorf("up to %d rows", largest)
	}
}

func TestRecentExtremes(t *testing.T) {
	s := NewStores(NewMemory(testSchemas...), nil)
	r := NewRecent(s, 7, moment, math.MaxInt64)
	for i, c := range []struct {
		time int64
		want bool
	}{{0, false}, {math.MaxInt64, true}, {1, true}, {math.MinInt64 + 1, true}, {math.MinInt64, false}} {
		if got, err := r.Seen([]byte("k"), c.time); got != c.want || err != nil {
			t.Errorf("%d: %t, %v", i, got, err)
		}
	}
}

func TestRecentAllocations(t *testing.T) {
	s := NewStores(NewMemory(testSchemas...), nil)
	r := NewRecent(s, 7, moment, 1000)
	key := []byte("some key")
	if n := testing.AllocsPerRun(1000, func() {
		if _, err := r.Seen(key, 5); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
