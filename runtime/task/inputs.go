package task

import (
	"math"

	"github.com/streamgen/streamgen/runtime/record"
)

// Input is a topic partition that a task reads.
type Input struct {
	Topic     string
	Partition int32
	Source    uint8
	Table     bool
	Next      int64 // the offset to begin at
	Committed bool  // the group has committed an offset for it

	// Target is where a table must have been read to before sources that are no tables begin; 0: they do not wait.
	Target int64

	// Idle is how long, in nanoseconds, the input has to be silent for stream time to pass without records; 0: it does not pass.
	Idle int64

	// EventTime is the time by which a record takes its turn, where that is not its timestamp; a negative one stands for none, and it has the
	// greatest that came before it.
	EventTime func(r *record.Record) int64

	// Fed says that the program itself writes the topic: it is silent only while nothing is on its way there.
	Fed bool
}

// Inputs merges a task's inputs: records leave by event time, at equal ones in the order of the sources, and within an input
// in the order of its offsets. An input without records holds the others back until it is known to be caught up, by an end
// offset that was asked for after the records at hand had come: an empty fetch says nothing about what is on its way.
//
// Offsets: next is what is to be processed, fetched what is to be fetched. They differ by the records in between, and by
// markers and aborted records, which are passed over.
type Inputs struct {
	// MaxIdle is how long, in nanoseconds, an input that is caught up is still waited for.
	MaxIdle int64

	list    []input
	waiting int // bootstrap inputs that have not reached their target
	size    int // bytes buffered

	merged []record.Record // memory of a batch that short runs were copied to
	spent  []record.Record // chunk whose last records are the batch that was filled last
}

type input struct {
	Input
	next    int64
	frozen  int64 // next of the last epoch that was frozen
	fetched int64
	count   uint64 // records processed in the running epoch
	chunks  []chunk
	at      int   // in chunks[0]
	size    int   // bytes of chunks
	end     int64 // end offset, as last asked for
	asked   int64 // when, in nanoseconds
	idle    int64 // since when it is waited for under MaxIdle; 0: it is not
	since   int64 // when nothing was left to process; 0: that is not known
	settled proof // that nothing was on its way
	latest  int64 // with EventTime: the greatest that came
	spare   []int64
}

// proof says that nothing lay behind offset end of an input when that was asked, in nanoseconds.
type proof struct{ end, asked int64 }

// chunk is what one fetch brought.
type chunk struct {
	records []record.Record
	arrived int64 // nanoseconds
	size    int
	times   []int64 // with EventTime: of the records
}

// time is that by which record i takes its turn.
func (c *chunk) time(i int) int64 {
	if c.times != nil {
		return c.times[i]
	}
	return c.records[i].Timestamp
}

func newInputs(list []Input) Inputs {
	in := Inputs{list: make([]input, len(list))}
	for i, c := range list {
		in.list[i] = input{Input: c, next: c.Next, frozen: c.Next, fetched: c.Next, end: math.MaxInt64, latest: -1}
		if c.Target > c.Next {
			in.waiting++
		}
	}
	return in
}

// Append adds what a fetch brought of input i: records in order of their offsets, with Input and Source filled in, their size
// in bytes, the offset to fetch next, and when they came. The records belong to Inputs; what they point at is never written.
func (in *Inputs) Append(i uint16, records []record.Record, size int, fetched, arrived int64) {
	x := &in.list[i]
	x.fetched = fetched
	if len(records) > 0 {
		x.chunks = append(x.chunks, chunk{records, arrived, size, x.times(records)})
		x.size += size
		in.size += size
		x.idle = 0
	} else if len(x.chunks) == 0 {
		in.pass(x, fetched)
	}
}

// times are those of records that came, if they are not their timestamps.
func (x *input) times(records []record.Record) []int64 {
	if x.EventTime == nil {
		return nil
	}
	times := x.spare[:0]
	x.spare = nil
	for i := range records {
		t := x.EventTime(&records[i])
		if x.latest = max(x.latest, t); t < 0 {
			t = x.latest
		}
		times = append(times, t)
	}
	return times
}

// SetEnd says that the end offset of input i was end when it was asked for at the given time.
func (in *Inputs) SetEnd(i uint16, end, asked int64) {
	x := &in.list[i]
	x.end, x.asked = end, asked
	if !x.Fed {
		x.settled = proof{end, asked}
	}
}

// Size is how many bytes are buffered in all, SizeOf those of input i.
func (in *Inputs) Size() int           { return in.size }
func (in *Inputs) SizeOf(i uint16) int { return in.list[i].size }

// Behind says that nothing of input i is left to process, and that its end as last known is farther than what was fetched.
func (in *Inputs) Behind(i uint16) bool {
	x := &in.list[i]
	return len(x.chunks) == 0 && x.asked > 0 && x.fetched < x.end
}

// Fetched is the offset of input i that is to be fetched next.
func (in *Inputs) Fetched(i uint16) int64 { return in.list[i].fetched }

// Lag is how many offsets lie between what is processed and the ends that are known.
func (in *Inputs) Lag() (n int64) {
	for i := range in.list {
		if x := &in.list[i]; x.asked > 0 {
			n += max(0, max(x.end, x.fetched)-x.next)
		}
	}
	return n
}

// Unknown appends the inputs whose end has to be asked for before the task can go on, or before stream time can pass.
func (in *Inputs) Unknown(dst []uint16, now int64) []uint16 {
	arrived, any := in.oldest()
	for i := range in.list {
		x := &in.list[i]
		if len(x.chunks) == 0 && (any && x.asked < arrived || x.unproven(now) && !x.Fed) {
			dst = append(dst, uint16(i))
		}
	}
	return dst
}

// oldest is when the oldest head came.
func (in *Inputs) oldest() (arrived int64, any bool) {
	arrived = math.MaxInt64
	for i := range in.list {
		if x := &in.list[i]; len(x.chunks) > 0 {
			arrived, any = min(arrived, x.chunks[0].arrived), true
		}
	}
	return arrived, any
}

// longRun is how many records of one input make a batch of their own, where they lie; fewer are copied.
const longRun = 32

// Fill puts at most n records into b and moves on behind them: none if there are none or if an input has to be waited for. They
// belong to Inputs, until the next call.
func (in *Inputs) Fill(b *record.Batch, n int, now int64) {
	if in.spent != nil {
		record.Free(in.spent)
		in.spent = nil
	}
	b.Records = in.merged[:0]
	for n > 0 {
		best, limit := in.choose(now)
		if best == nil {
			break
		}
		run := best.run(n, limit)
		if len(b.Records) > 0 || len(run) < longRun {
			b.Records = append(b.Records, run...)
			n -= len(run)
			if c := in.leave(best, run, now); c != nil {
				record.Free(c)
			}
			continue
		}
		b.Records = run
		in.spent = in.leave(best, run, now)
		return
	}
	in.merged = b.Records[:0]
}

// choose finds the input whose head leaves next, and the timestamp up to which it may go on leaving before another one has
// to be looked at: below limit.
func (in *Inputs) choose(now int64) (best *input, limit int64) {
	limit = math.MaxInt64
	var t int64
	for i := range in.list {
		x := &in.list[i]
		if len(x.chunks) == 0 || in.waiting > 0 && !x.Table {
			continue
		}
		head := x.chunks[0].time(x.at)
		switch {
		case best == nil:
			best, t = x, head
		case head < t:
			best, t, limit = x, head, t
		default:
			limit = min(limit, head)
		}
	}
	if best == nil {
		return nil, 0
	}
	arrived := best.chunks[0].arrived
	for i := range in.list {
		x := &in.list[i]
		if len(x.chunks) > 0 || in.waiting > 0 && !x.Table {
			continue
		}
		if x.asked < arrived || x.fetched < x.end {
			return nil, 0
		}
		if in.MaxIdle > 0 {
			if x.idle == 0 {
				x.idle = now
			}
			if now-x.idle < in.MaxIdle {
				return nil, 0
			}
		}
	}
	return best, limit
}

// run is the records at the head of x: at least one, and as long as their times are below limit.
func (x *input) run(n int, limit int64) []record.Record {
	c := &x.chunks[0]
	last := min(x.at+n, len(c.records))
	end := x.at + 1
	for end < last && c.time(end) < limit {
		end++
	}
	return c.records[x.at:end:end]
}

// leave moves on behind a run of x. It returns the chunk that the run was the rest of, else nil.
func (in *Inputs) leave(x *input, run []record.Record, now int64) (spent []record.Record) {
	c := &x.chunks[0]
	x.at += len(run)
	x.count += uint64(len(run))
	next := run[len(run)-1].Offset + 1
	if x.at == len(c.records) {
		x.size -= c.size
		in.size -= c.size
		spent = c.records
		x.spare = c.times
		x.chunks[0] = chunk{}
		x.chunks, x.at = x.chunks[1:], 0
		if len(x.chunks) == 0 {
			x.chunks, x.since = nil, now
			next = x.fetched
		}
	}
	in.pass(x, next)
	return spent
}

// pass moves the position of x to next.
func (in *Inputs) pass(x *input, next int64) {
	if x.next < x.Target && next >= x.Target {
		in.waiting--
	}
	x.next = next
}

// held says that the position of x must not be committed: it has not begun because tables are read first. Its missing offset
// is what tells the next owner to read them to their end, too.
func (in *Inputs) held(x *input) bool { return in.waiting > 0 && !x.Table && !x.Committed }

// rewind empties the buffers and goes back to next. What was fetched before has to be fetched again.
func (in *Inputs) rewind(next []int64) {
	in.waiting, in.size = 0, 0
	for i := range in.list {
		x := &in.list[i]
		x.next, x.frozen, x.fetched = next[i], next[i], next[i]
		x.count, x.chunks, x.at, x.size, x.idle, x.since, x.latest = 0, nil, 0, 0, 0, 0, -1
		if x.Target > x.next {
			in.waiting++
		}
	}
}
