package task

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/state"
)

// windows counts records in windows of 10, whose rows leave when they are closed: as generated code does it, three at a time.
type windows struct {
	counts *state.Windowed[int64]
	out    record.Topic
}

func (s *windows) Process(b *record.Batch) error {
	for i := range b.Records {
		if more, err := s.close(); more || err != nil {
			b.Next, b.More = i, more
			return err
		}
		r := &b.Records[i]
		s.counts.Advance(0, r.Timestamp)
		row, _, err := s.counts.UpdateAt(r.Timestamp/10*10, r.Key)
		if err != nil {
			return err
		}
		row.Value++
	}
	if more, err := s.close(); more || err != nil {
		b.Next, b.More = len(b.Records), more
		return err
	}
	return nil
}

func (s *windows) close() (more bool, err error) {
	if s.counts.Due() {
		more, err = s.counts.Close(3, func(start, _ int64, key []byte, r *state.Row[int64]) error {
			s.out.Send(s.out.Copy(key), s.out.Keep(binary.BigEndian.AppendUint64(s.out.Tail(), uint64(r.Value))), start, nil)
			return nil
		})
	}
	return more, err
}

func (s *windows) Flush() error { return nil }

func newWindows(t *testing.T, b state.Backend, next int64, epoch uint64) *Task {
	t.Helper()
	task, err := New(Config{
		SubTopology: "windows", Backend: b, Inputs: []Input{{Topic: "in", Next: next}}, Partitions: []int32{1}, Positions: positions, Epoch: epoch,
	}, func(t *Task) (SubTopology, error) {
		return &windows{out: t.Topic(0), counts: state.NewWindowed(t.Stores, 0, state.Codec[int64]{
			Append: func(dst []byte, v *int64) []byte { return binary.BigEndian.AppendUint64(dst, uint64(*v)) },
			Read:   func(src []byte, v *int64) error { *v = int64(binary.BigEndian.Uint64(src)); return nil },
		}, state.WindowedOptions{Size: 10, Retention: 10, Final: true})}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return task
}

// TestManyRowsLeaveInSteps: a record closes a window of more rows than leave in a step. What is done is committed on the way, with the
// positions of the records behind, and goes on with the next row: after an abort, and with another owner.
func TestManyRowsLeaveInSteps(t *testing.T) {
	const keys = 20
	var all []record.Record
	for i := range int64(keys) {
		all = append(all, record.Record{Key: fmt.Appendf(nil, "k%02d", keys-1-i), Offset: i, Timestamp: i % 10})
	}
	all = append(all, record.Record{Key: []byte("x"), Offset: keys, Timestamp: 100}) // closes the window
	all = append(all, record.Record{Key: []byte("x"), Offset: keys + 1, Timestamp: 101})

	for _, lose := range []string{"", "abort", "restart"} {
		b := state.NewMemory(state.Schema{ID: 0, Name: "windows", Fingerprint: "int64"})
		l := &keyLog{fail: make(chan error, 100)}
		w := NewWorker(l, nil)
		task := newWindows(t, b, 0, 0)
		w.Add(task)
		feed := func() {
			list := slices.Clone(all[task.inputs.list[0].next:])
			task.inputs.Append(0, list, len(list), int64(len(all)), 1)
		}
		feed()
		for step := 0; ; step++ {
			n, err := w.Process(task, 2)
			if err != nil {
				t.Fatal(err)
			}
			if n == 0 {
				break
			}
			l.fail <- nil
			if err := errors.Join(w.Commit(), w.Wait()); err != nil {
				t.Fatal(err)
			}
			if !task.batch.More {
				continue
			}
			if got := task.Applied()[0]; got != keys+1 {
				t.Fatalf("%s: while rows leave, the position is %d, not that of the record behind, %d", lose, got, keys+1)
			}
			switch {
			case lose == "abort":
				if _, err := w.Process(task, 2); err != nil { // three rows more, which are lost
					t.Fatal(err)
				}
				if err := w.Abort(); !errors.Is(err, ErrAborted) {
					t.Fatal(err)
				}
				feed()
			case lose == "restart" && step%2 == 0:
				if err := w.Remove(task); err != nil {
					t.Fatal(err)
				}
				task = newWindows(t, b, task.Applied()[0], task.epoch)
				w.Add(task)
				feed()
			}
		}
		var want []string
		for i := range keys {
			want = append(want, fmt.Sprintf("k%02d=1@0", i))
		}
		if !slices.Equal(l.sent, want) {
			t.Errorf("%q: %q left, not %q", lose, l.sent, want)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// keyLog is a committer that keeps what is committed, with keys.
type keyLog struct {
	fail chan error
	sent []string
}

func (l *keyLog) Commit(e *Epoch) error {
	if err := <-l.fail; err != nil {
		return err
	}
	for i := range e.Parts {
		_ = e.Parts[i].Output.Drain(func(out []record.Out) error {
			for _, o := range out {
				l.sent = append(l.sent, fmt.Sprintf("%s=%d@%d", o.Key, binary.BigEndian.Uint64(o.Value), o.Timestamp))
			}
			return nil
		})
	}
	return nil
}
