package task

import (
	"bytes"
	"encoding/binary"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/state"
)

// sum adds one for each record of a key, and sends the sum.
type sum struct {
	task *Task
	sums *state.KeyValue[int64]
	out  record.Topic
	seen *Counter
}

func (s *sum) Process(b *record.Batch) error {
	for i := range b.Records {
		r := &b.Records[i]
		s.seen.Inc()
		if len(r.Value) > 0 {
			if err := s.task.Reject(r, 0, BadInput, errors.New("field x: missing")); err != nil {
				return err
			}
			continue
		}
		row, _, err := s.sums.Update(r.Key)
		if err != nil {
			return err
		}
		row.Value++
		s.out.Send(r.Key, s.out.Keep(binary.BigEndian.AppendUint64(s.out.Tail(), uint64(row.Value))), r.Timestamp, nil)
	}
	return nil
}

func (s *sum) Flush() error { return nil }

// log is a committer that keeps what is committed.
type log struct {
	fail   chan error // an outcome for each epoch
	values []int64
	parts  []uint64
}

func (l *log) Commit(e *Epoch) error {
	if err := <-l.fail; err != nil {
		return err
	}
	for i := range e.Parts {
		l.parts = append(l.parts, e.Parts[i].Number)
		_ = e.Parts[i].Output.Drain(func(out []record.Out) error {
			for _, o := range out {
				l.values = append(l.values, int64(binary.BigEndian.Uint64(o.Value)))
			}
			return nil
		})
	}
	return nil
}

// broken is a backend that fails as often as it is told.
type broken struct {
	state.Backend
	fail int
}

func (b *broken) Apply(f *state.Frozen) error {
	if b.fail > 0 {
		b.fail--
		return errors.New("no space left")
	}
	return b.Backend.Apply(f)
}

func newSum(t *testing.T, positions []Position) (*Task, *Drops, *broken) {
	t.Helper()
	drops := &Drops{}
	b := &broken{Backend: state.NewMemory(state.Schema{ID: 0, Name: "sums", Fingerprint: "int64"})}
	task, err := New(Config{
		SubTopology: "sum", Partition: 0, Backend: b, Inputs: []Input{{Topic: "in"}}, Partitions: []int32{1}, Positions: positions, Drops: drops,
	}, func(t *Task) (SubTopology, error) {
		return &sum{task: t, out: t.Topic(0), seen: t.Counter("seen", 0), sums: state.NewKeyValue(t.Stores, 0, state.Codec[int64]{
			Append: func(dst []byte, v *int64) []byte { return binary.BigEndian.AppendUint64(dst, uint64(*v)) },
			Read:   func(src []byte, v *int64) error { *v = int64(binary.BigEndian.Uint64(src)); return nil },
		})}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return task, drops, b
}

var positions = []Position{{Address: "stream.in", File: "app.hcl", Line: 3, Column: 1}}

// feed gives t n records from its position on.
func feedTask(t *Task, n int) {
	first := t.inputs.list[0].fetched
	var list []record.Record
	for i := range int64(n) {
		list = append(list, record.Record{Key: []byte("k"), Offset: first + i, Timestamp: first + i})
	}
	t.inputs.Append(0, list, n, first+int64(n), 1)
}

func process(t *testing.T, w *Worker, task *Task) {
	t.Helper()
	if _, err := w.Process(task, 2); err != nil {
		t.Fatal(err)
	}
}

// TestAbortTakesBackBothEpochs: N does not commit while N+1 is being processed.
func TestAbortTakesBackBothEpochs(t *testing.T) {
	task, drops, _ := newSum(t, positions)
	l := &log{fail: make(chan error, 10)}
	w := NewWorker(l, nil)
	w.Add(task)

	feedTask(task, 10)
	process(t, w, task)
	l.fail <- nil
	if err := errors.Join(w.Commit(), w.Wait()); err != nil {
		t.Fatal(err)
	}
	feedTask(task, 10)
	process(t, w, task)
	if err := w.Commit(); err != nil { // epoch 2, in flight
		t.Fatal(err)
	}
	feedTask(task, 10)
	process(t, w, task) // epoch 3
	l.fail <- errors.New("refused")
	if err := w.Wait(); !errors.Is(err, ErrAborted) {
		t.Fatalf("got %v", err)
	}
	if got := task.Applied()[0]; got != 10 || task.Epoch() != 2 {
		t.Fatalf("back at offset %d, epoch %d, want 10 and 2", got, task.Epoch())
	}
	if d := drops.List()[0].Count; d != 10 {
		t.Errorf("counted %d records, want the 10 that are committed", d)
	}
	feedTask(task, 20)
	process(t, w, task)
	l.fail <- nil
	if err := errors.Join(w.Commit(), w.Wait(), w.Close()); err != nil {
		t.Fatal(err)
	}
	for i, v := range l.values {
		if v != int64(i+1) {
			t.Fatalf("values %v", l.values)
		}
	}
	if len(l.values) != 30 || len(l.parts) != 2 || l.parts[1] != 2 {
		t.Errorf("%d values in epochs %v", len(l.values), l.parts)
	}
}

func TestNothingToCommit(t *testing.T) {
	task, _, _ := newSum(t, positions)
	l := &log{fail: make(chan error, 10)}
	w := NewWorker(l, nil)
	w.Add(task)
	for range 3 {
		if err := errors.Join(w.Commit(), w.Wait()); err != nil || w.InFlight() {
			t.Fatal(err)
		}
	}
	feedTask(task, 1)
	process(t, w, task)
	l.fail <- nil
	if err := errors.Join(w.Commit(), w.Wait(), w.Close()); err != nil {
		t.Fatal(err)
	}
	if len(l.parts) != 1 || l.parts[0] != 1 {
		t.Errorf("epochs %v were committed, want the first only", l.parts)
	}
}

func TestCommittedAndNotApplied(t *testing.T) {
	task, _, b := newSum(t, positions)
	l := &log{fail: make(chan error, 10)}
	w := NewWorker(l, nil)
	w.Add(task)

	b.fail = 2 // the third attempt helps
	feedTask(task, 1)
	process(t, w, task)
	l.fail <- nil
	if err := errors.Join(w.Commit(), w.Wait()); err != nil {
		t.Fatal(err)
	}

	b.fail = applyAttempts
	feedTask(task, 1)
	process(t, w, task)
	l.fail <- nil
	err := errors.Join(w.Commit(), w.Wait())
	if lost := Unapplied(err); len(lost) != 1 || lost[0] != task || !errors.Is(err, ErrAborted) {
		t.Fatalf("got %v", err)
	}
	if err := errors.Join(w.Remove(task), w.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestRejectedRecord(t *testing.T) {
	bad := func() []record.Record { return []record.Record{{Key: []byte("k"), Value: []byte("{}"), Offset: 7}} }
	task, _, _ := newSum(t, positions)
	w := NewWorker(&log{fail: make(chan error, 1)}, nil)
	w.Add(task)
	task.inputs.Append(0, bad(), 1, 8, 1)
	_, err := w.Process(task, 2)
	var r *RecordError
	if !errors.As(err, &r) || errors.Is(err, ErrAborted) {
		t.Fatalf("got %v", err)
	}
	if want := "app.hcl:3:1: stream.in: topic in partition 0 offset 7: bad input: field x: missing"; r.Error() != want {
		t.Errorf("got  %s\nwant %s", r, want)
	}

	skip := []Position{positions[0]}
	skip[0].OnError = Skip
	l := &log{fail: make(chan error, 1)}
	task, drops, _ := newSum(t, skip)
	w2 := NewWorker(l, nil)
	w2.Add(task)
	task.inputs.Append(0, bad(), 1, 8, 1)
	process(t, w2, task)
	l.fail <- nil
	if err := errors.Join(w2.Commit(), w2.Wait(), w2.Close(), w.Close()); err != nil {
		t.Fatal(err)
	}
	if d := drops.List(); len(d) != 2 || d[0] != (Drop{"bad input", 0, 1}) || task.Applied()[0] != 8 {
		t.Errorf("drops %v, position %d", d, task.Applied()[0])
	}
}

func TestLogIsLimited(t *testing.T) {
	task, _, _ := newSum(t, positions)
	var b bytes.Buffer
	task.logger = slog.New(slog.NewTextHandler(&b, nil))
	for range 100 {
		task.Log(slog.LevelInfo, 0, "seen")
		task.Log(slog.LevelDebug, 0, "not enabled")
	}
	if n := strings.Count(b.String(), "\n"); n != logBurst {
		t.Errorf("%d lines", n)
	}
	if !strings.Contains(b.String(), "at=stream.in") {
		t.Errorf("no position in %s", b.String())
	}
}

// TestProcessAllocatesNothing: the runtime's part of a batch, merging included, takes no memory of its own.
func TestProcessAllocatesNothing(t *testing.T) {
	in := newInputs([]Input{{Source: 0}, {Source: 1}})
	var b record.Batch
	short, long := records(0, 0, make([]int64, longRun/2)...), records(1, 0, make([]int64, 512)...)
	var chunks [2][]chunk
	chunks[0], chunks[1] = make([]chunk, 1), make([]chunk, 1)
	n := testing.AllocsPerRun(100, func() {
		for i, r := range [][]record.Record{short, long} {
			x := &in.list[i]
			x.chunks, x.end, x.asked = chunks[i], 512, 10
			x.chunks[0], x.at, x.fetched = chunk{records: append(record.Chunk(len(r)), r...), arrived: 1}, 0, 512
		}
		for _, want := range []int{longRun/2 + 512, 0} {
			in.Fill(&b, 1024, 20)
			if len(b.Records) != want {
				t.Fatalf("%d records", len(b.Records))
			}
		}
	})
	if n != 0 && !raced {
		t.Errorf("%v allocations a batch", n)
	}
}
