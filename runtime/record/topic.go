package record

import "errors"

// Topic sends to one topic of the topology. Generated code holds one by value for each topic it writes, and calls it on
// the task's goroutine only.
type Topic struct {
	out        **Output // the task's current output: it changes with the epoch
	index      uint16
	partitions uint32
	null       int32 // partition of records without a key
}

// NewTopic binds the topic with that index, which has that many partitions, to the output of a task of the given
// partition.
func NewTopic(out **Output, index uint16, partitions, task int32) Topic {
	return Topic{out: out, index: index, partitions: uint32(partitions), null: task % partitions}
}

// Tail returns room in the epoch's arena for a key or value that has to be encoded; Keep ends it.
func (t *Topic) Tail() []byte { return (*t.out).Arena.Tail() }

// Keep makes b, grown from Tail, part of the epoch's arena: it lives until the epoch is over.
func (t *Topic) Keep(b []byte) []byte { return (*t.out).Arena.Keep(b) }

// Copy is b as a part of the epoch's arena. It is never null.
func (t *Topic) Copy(b []byte) []byte { return t.Keep(append(t.Tail(), b...)) }

// Text is s as a part of the epoch's arena.
func (t *Topic) Text(s string) []byte { return t.Keep(append(t.Tail(), s...)) }

// Send sends a record to the partition of its key under Kafka's default partitioner. A record without a key goes to the
// partition of the task, modulo the number of the topic's: not to one picked at random, so that a replay repeats it.
// Key and value must lie in the epoch's arena or in a fetch.
func (t *Topic) Send(key, value []byte, timestamp int64, headers []Header) {
	t.SendPartitioned(key, key, value, timestamp, headers)
}

// The errors of sinks that say themselves where a record goes.
var (
	ErrTopic     = errors.New("the topic is none of those that the sink has")
	ErrPartition = errors.New("the topic has no such partition")
)

// SendTo is Send to a partition of the caller's choice, which must be there.
func (t *Topic) SendTo(partition int64, key, value []byte, timestamp int64, headers []Header) error {
	if partition < 0 || partition >= int64(t.partitions) {
		return ErrPartition
	}
	t.send(int32(partition), key, value, timestamp, headers)
	return nil
}

// SendPartitioned is Send to the partition of by instead of key: all windows of a key go to the partition of the key.
func (t *Topic) SendPartitioned(by, key, value []byte, timestamp int64, headers []Header) {
	partition := t.null
	if by != nil {
		partition = Partition(by, int32(t.partitions))
	}
	t.send(partition, key, value, timestamp, headers)
}

// send takes a key that is passed on with another value to where that lies: by the time the epoch is produced, the fetch has left
// the processor's caches, and reading so few bytes of it would cost more than all that was done with the record.
func (t *Topic) send(partition int32, key, value []byte, timestamp int64, headers []Header) {
	out := *t.out
	if len(key) > 0 && out.Arena.holds(value) && !out.Arena.holds(key) {
		key = out.Arena.Copy(key)
	}
	o := out.add() // a literal would be made elsewhere and copied
	o.Key, o.Value, o.Headers = key, value, headers
	o.Timestamp, o.Topic, o.Partition = timestamp, t.index, partition
}
