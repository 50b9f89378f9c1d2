package oracle

import (
	"slices"

	"github.com/streamgen/streamgen/spec/model"
)

// NewPartitioned begins a program whose topics have n partitions each: of says in which one a key lies, by its bytes. Each partition is an
// oracle of its own, with state and clocks of its own, and sees the sequence of its own records. What they meet in are the topics in
// between, which a round of all of them writes in their order, and global tables.
func NewPartitioned(p *model.Program, n int, of func(key []byte) int) (*Oracle, error) {
	var parts []*Oracle
	for range n {
		o, err := New(p)
		if err != nil {
			return nil, err
		}
		parts = append(parts, o)
	}
	for _, o := range parts {
		o.parts, o.of, o.drops, o.sent = parts, of, parts[0].drops, parts[0].sent
	}
	return parts[0], nil
}

// partOf is the partition that a record of a source lies in; those without a key go to all in turn.
func (o *Oracle) partOf(r Record) *Oracle {
	if len(o.parts) == 1 {
		return o
	}
	if string(r.Key) == "null" {
		o.nulls++
		return o.parts[(o.nulls-1)%len(o.parts)]
	}
	at := slices.IndexFunc(o.program.Blocks, func(b *model.Block) bool { return b.Source != nil && slices.Contains(b.Source.Topics, r.Topic) })
	return o.part(decode(o.program.Blocks[at].Source.Key.Type, r.Key))
}

// part is the partition that a key lies in, with a window that of the key within. What has no key stays where it is.
func (o *Oracle) part(key any) *Oracle {
	if k, ok := key.(inWindow); ok {
		key = k.key
	}
	if key == nil || len(o.parts) == 1 {
		return o
	}
	return o.parts[o.of([]byte(keyBytes(key)))]
}

// later goes on behind a topic, in a partition of it, when all that is at work now is committed.
func (o *Oracle) later(run func()) {
	o.waiting = append(o.waiting, run)
}

// goOn is a round of what waits, and says whether there was anything.
func (o *Oracle) goOn() (worked bool) {
	next := make([][]func(), len(o.parts))
	for i, part := range o.parts {
		next[i], part.waiting = part.waiting, nil
	}
	for i, part := range o.parts {
		for _, run := range next[i] {
			part.turn++
			run()
			worked = true
		}
		part.commit()
	}
	return worked
}
