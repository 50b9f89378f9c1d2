package record

import "unsafe"

const outChunk = 1024

// Out is one record to be produced. Key and Value lie in the epoch's arena or in a fetch (bytes passed through); both
// outlive the epoch's transaction. A key of a fetch whose value is another has been copied into the arena.
type Out struct {
	Key       []byte // nil: null
	Value     []byte // nil: null
	Headers   []Header
	Timestamp int64  // milliseconds
	Topic     uint16 // index into the topology's Topics
	Partition int32
}

// Output collects the records of one epoch in the order in which they were sent.
//
// It belongs to the task's goroutine while the epoch is processed, and to the committer from the hand-over until Reset.
// Records may be drained to the producer at any time in between, after each batch if the epoch's transaction is open;
// their bytes live on in the arena until Reset.
type Output struct {
	Arena  Arena
	chunks [][]Out // the first n are in use
	n      int
	sent   int // records since Reset
}

// Len is the number of records sent since Reset, drained or not.
func (o *Output) Len() int { return o.sent }

// Pending is the number of records not drained yet.
func (o *Output) Pending() int {
	if o.n == 0 {
		return 0
	}
	return (o.n-1)*outChunk + len(o.chunks[o.n-1])
}

// Memory is the number of bytes the output holds on to. Fetches that its records point into are not counted: they are
// counted where they are read.
func (o *Output) Memory() int {
	return o.Arena.Memory() + len(o.chunks)*outChunk*int(unsafe.Sizeof(Out{}))
}

// Drain calls f with the records that were not drained yet, in order, a slice at a time. The slice is reused once f has
// returned; what it points at is not. After an error the rest stays undrained, but the epoch is lost: f may have taken
// a part of its slice.
func (o *Output) Drain(f func([]Out) error) error {
	for i := range o.n {
		c := o.chunks[i]
		if err := f(c); err != nil {
			o.chunks = append(o.chunks[i:], o.chunks[:i]...)
			o.n -= i
			return err
		}
		clear(c) // no reference to a fetch stays behind
		o.chunks[i] = c[:0]
	}
	o.n = 0
	return nil
}

// Reset empties the output for another epoch. It keeps the memory that this one used.
func (o *Output) Reset() {
	for i, c := range o.chunks[:o.n] {
		clear(c)
		o.chunks[i] = c[:0]
	}
	if keep := (o.sent + outChunk - 1) / outChunk; keep < len(o.chunks) {
		clear(o.chunks[keep:])
		o.chunks = o.chunks[:keep]
	}
	o.n, o.sent = 0, 0
	o.Arena.Reset()
}

// add returns the next record, to be filled.
func (o *Output) add() *Out {
	if o.n == 0 || len(o.chunks[o.n-1]) == outChunk {
		if o.n == len(o.chunks) {
			o.chunks = append(o.chunks, make([]Out, 0, outChunk))
		}
		o.n++
	}
	o.sent++
	c := &o.chunks[o.n-1]
	*c = (*c)[:len(*c)+1]
	return &(*c)[len(*c)-1]
}
