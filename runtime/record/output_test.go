package record

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"
)

func TestArenaKeepsBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var a Arena
	for round := range 5 {
		var kept, want [][]byte
		size := 0
		for range 2000 {
			n := rng.IntN(300)
			if rng.IntN(100) == 0 {
				n = rng.IntN(3 * arenaBlock)
			}
			b := make([]byte, n)
			for i := range b {
				b[i] = byte(rng.Uint32())
			}
			if rng.IntN(10) == 0 {
				_ = append(a.Tail(), "not kept"...)
			}
			tail := a.Tail()
			for len(b) > len(tail) { // in pieces, as an encoder does
				tail = append(tail, b[len(tail):min(len(b), len(tail)+100)]...)
			}
			kept, want = append(kept, a.Keep(tail)), append(want, b)
			size += n
		}
		for i := range kept {
			if !bytes.Equal(kept[i], want[i]) {
				t.Fatalf("round %d: slice %d was overwritten", round, i)
			}
			if kept[i] == nil || cap(kept[i]) != len(kept[i]) {
				t.Fatalf("round %d: slice %d: nil or with room to append to", round, i)
			}
		}
		if a.Len() != size || a.Memory() < size {
			t.Fatalf("round %d: Len %d, Memory %d, want %d and no less", round, a.Len(), a.Memory(), size)
		}
		a.Reset()
	}
}

func TestArenaGivesMemoryBack(t *testing.T) {
	var a Arena
	fill := func(n int) {
		for range n {
			a.Copy(make([]byte, 1000))
		}
	}
	fill(10_000)
	a.Reset()
	if large := a.Memory(); large < 10_000_000 {
		t.Fatalf("%d bytes kept, want those of the last use", large)
	}
	fill(100)
	a.Reset()
	if small := a.Memory(); small > 3*arenaBlock {
		t.Fatalf("%d bytes kept after a small use", small)
	}
	allocs := testing.AllocsPerRun(10, func() {
		fill(100)
		a.Reset()
	})
	if allocs != 0 {
		t.Fatalf("%v allocations in a warm arena", allocs)
	}
}

func TestOutputDrainsInOrder(t *testing.T) {
	out := &Output{}
	topic := NewTopic(&out, 3, 4, 6)
	headers := []Header{{Key: "h", Value: []byte("v")}}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3 {
		sent, drained := 0, 0
		drain := func() {
			err := out.Drain(func(list []Out) error {
				for _, o := range list {
					key := fmt.Appendf(nil, "key-%d", drained)
					if !bytes.Equal(o.Key, key) || o.Timestamp != int64(drained) || o.Topic != 3 ||
						o.Partition != Partition(key, 4) || len(o.Headers) != 1 {
						t.Fatalf("record %d is %+v", drained, o)
					}
					drained++
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		for range 200 {
			for range rng.IntN(50) {
				key := topic.Keep(fmt.Appendf(topic.Tail(), "key-%d", sent))
				topic.Send(key, nil, int64(sent), headers)
				sent++
			}
			if out.Pending() != sent-drained {
				t.Fatalf("%d pending, want %d", out.Pending(), sent-drained)
			}
			if rng.IntN(4) == 0 {
				drain()
			}
		}
		drain()
		if drained != sent || out.Len() != sent || out.Pending() != 0 {
			t.Fatalf("sent %d, drained %d, Len %d, Pending %d", sent, drained, out.Len(), out.Pending())
		}
		out.Reset()
		if out.Len() != 0 {
			t.Fatal("Reset left records")
		}
	}
}

func TestOutputDrainStopsAtAnError(t *testing.T) {
	out := &Output{}
	topic := NewTopic(&out, 0, 1, 0)
	for range 3 * outChunk {
		topic.Send(nil, nil, 0, nil)
	}
	broken := errors.New("broken")
	calls := 0
	err := out.Drain(func([]Out) error {
		if calls++; calls == 2 {
			return broken
		}
		return nil
	})
	if !errors.Is(err, broken) || calls != 2 {
		t.Fatalf("%v after %d calls", err, calls)
	}
	if out.Pending() != 2*outChunk {
		t.Fatalf("%d pending", out.Pending())
	}
	out.Reset()
	topic.Send(nil, nil, 0, nil)
	if out.Pending() != 1 || out.Len() != 1 {
		t.Fatal("unusable after Reset")
	}
}

func TestNullAndEmptyKeys(t *testing.T) {
	out := &Output{}
	topic := NewTopic(&out, 0, 4, 6) // task 6 of a sub-topology that writes to 4 partitions
	topic.Send(nil, nil, 0, nil)
	topic.Send([]byte{}, nil, 0, nil)
	topic.SendPartitioned([]byte("a"), []byte("window of a"), nil, 0, nil)
	var got []int32
	if err := out.Drain(func(list []Out) error {
		for _, o := range list {
			got = append(got, o.Partition)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if want := []int32{2, Partition([]byte{}, 4), Partition([]byte("a"), 4)}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("partitions %v, want %v", got, want)
	}
}

// A key of a fetch goes to where the new value lies. What lies right, or is passed on together with its value, stays where it is.
func TestKeyGoesBesideValue(t *testing.T) {
	out := &Output{}
	topic := NewTopic(&out, 0, 4, 0)
	fetch := []byte("key value")
	key, value := fetch[:3:3], fetch[4:]
	fresh := func(text string) []byte { return topic.Keep(append(topic.Tail(), text...)) }
	own := fresh("own")
	send := func(partition int64, key, value []byte) {
		if err := topic.SendTo(partition, key, value, 0, nil); err != nil {
			t.Fatal(err)
		}
	}
	topic.Send(key, fresh("new"), 0, nil)
	send(1, key, fresh("new"))
	topic.Send(own, fresh("new"), 0, nil)
	topic.Send(key, value, 0, nil)
	topic.Send(key, nil, 0, nil)
	topic.Send(nil, fresh("new"), 0, nil)
	topic.Send([]byte{}, fresh("new"), 0, nil)
	same := func(a, b []byte) bool { return unsafe.SliceData(a) == unsafe.SliceData(b) }
	if err := out.Drain(func(list []Out) error {
		for i, o := range list[:2] {
			if string(o.Key) != "key" || same(o.Key, key) || cap(o.Key) != 3 {
				t.Errorf("record %d has the key %q in the fetch", i, o.Key)
			}
		}
		for i, want := range [][]byte{own, key, key} {
			if got := list[2+i].Key; !same(got, want) || len(got) != 3 {
				t.Errorf("record %d has another key than it was given: %q", 2+i, got)
			}
		}
		if list[5].Key != nil || list[6].Key == nil || len(list[6].Key) != 0 {
			t.Errorf("null and empty keys are %v and %v", list[5].Key, list[6].Key)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func TestSendDoesNotAllocate(t *testing.T) {
	out := &Output{}
	topic := NewTopic(&out, 0, 8, 0)
	epoch := func() {
		for range 5000 {
			value := topic.Keep(append(topic.Tail(), "some value"...))
			topic.Send(value, value, 1, nil)
		}
		out.Reset()
	}
	epoch()
	if allocs := testing.AllocsPerRun(10, epoch); allocs != 0 {
		t.Fatalf("%v allocations in 5000 records of a warm output", allocs)
	}
}

func TestSendTo(t *testing.T) {
	out := &Output{}
	topic := NewTopic(&out, 3, 4, 0)
	for partition := int64(0); partition < 4; partition++ {
		if err := topic.SendTo(partition, []byte("k"), nil, 7, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, partition := range []int64{-1, 4, 1 << 32, -1 << 63} {
		if err := topic.SendTo(partition, nil, nil, 7, nil); err != ErrPartition {
			t.Errorf("%d: %v", partition, err)
		}
	}
	var got []int32
	if err := out.Drain(func(list []Out) error {
		for _, o := range list {
			got = append(got, o.Partition)
			if o.Topic != 3 || o.Timestamp != 7 || string(o.Key) != "k" {
				t.Errorf("%+v", o)
			}
		}
		return nil
	}); err != nil || len(got) != 4 || got[0] != 0 || got[3] != 3 {
		t.Error(got, err)
	}
}
