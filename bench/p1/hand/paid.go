// Package hand is the pair P1 as a good engineer writes it without a generator: a franz-go program that reads orders, drops
// those that are not paid and passes four of ten fields on. It is written to be as fast as it sensibly can be.
package hand

import (
	"github.com/twmb/franz-go/pkg/kgo"
)

// Step appends what a record becomes to dst. It is false if the record is dropped.
type Step func(dst, record []byte) ([]byte, bool, error)

// Paid takes the records of one partition to the output topic. It keeps its memory from epoch to epoch: records in chunks, and
// blocks that their values lie in.
type Paid struct {
	topic       string
	partitions  int
	partitioner kgo.TopicPartitioner
	step        Step

	chunks [][]kgo.Record
	used   int // of all chunks together
	block  []byte
	full   [][]byte
	free   [][]byte
}

const (
	chunkSize = 1024
	blockSize = 256 << 10
	room      = 4 << 10 // what a value is expected to fit in
)

// NewPaid makes a Paid that writes to a topic with that many partitions.
func NewPaid(topic string, partitions int, step Step) *Paid {
	return &Paid{topic: topic, partitions: partitions, step: step, partitioner: kgo.StickyKeyPartitioner(nil).ForTopic(topic)}
}

// Process calls send with what the records become. What it sends lives until Reset.
func (p *Paid) Process(records []*kgo.Record, send func(*kgo.Record)) error {
	for _, r := range records {
		if cap(p.block)-len(p.block) < room {
			p.grow()
		}
		out, keep, err := p.step(p.block[len(p.block):len(p.block)], r.Value)
		if err != nil {
			return &RecordError{r.Topic, r.Partition, r.Offset, err}
		}
		if !keep {
			continue
		}
		if len(out) <= cap(p.block)-len(p.block) {
			p.block = p.block[:len(p.block)+len(out)]
		}
		o := p.next()
		*o = kgo.Record{Topic: p.topic, Key: r.Key, Value: out[:len(out):len(out)], Headers: r.Headers, Timestamp: r.Timestamp}
		o.Partition = int32(p.partitioner.Partition(o, p.partitions))
		send(o)
	}
	return nil
}

// Reset takes the memory back of what was sent.
func (p *Paid) Reset() {
	p.used = 0
	for _, b := range p.full {
		p.free = append(p.free, b[:0])
	}
	p.full, p.block = p.full[:0], p.block[:0]
}

func (p *Paid) next() *kgo.Record {
	if p.used == len(p.chunks)*chunkSize {
		p.chunks = append(p.chunks, make([]kgo.Record, chunkSize))
	}
	r := &p.chunks[p.used/chunkSize][p.used%chunkSize]
	p.used++
	return r
}

func (p *Paid) grow() {
	if p.block != nil {
		p.full = append(p.full, p.block)
	}
	if n := len(p.free); n > 0 {
		p.block, p.free = p.free[n-1], p.free[:n-1]
		return
	}
	p.block = make([]byte, 0, blockSize)
}
