package oracle

import (
	"cmp"
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

var errFull = errors.New("the buffer of suppress is full")

// buffer is what a suppress holds back, by the text of the key, and what it has sent.
type buffer struct {
	time int64
	held map[string]held
	sent map[string]*row
}

// held is a change that has not left, and the time of the first one of its key.
type held struct {
	record
	at int64
}

// suppressOf is the suppress of a block, or nil.
func suppressOf(b *model.Block) *model.Suppress {
	for _, s := range b.Steps {
		if s, ok := s.(*model.Suppress); ok {
			return s
		}
	}
	return nil
}

func (o *Oracle) bufferOf(s *model.Suppress) *buffer {
	if o.buffers[s] == nil {
		o.buffers[s] = &buffer{math.MinInt64, map[string]held{}, map[string]*row{}}
	}
	return o.buffers[s]
}

// wait is how long behind its time a change leaves.
func wait(b *model.Block, s *model.Suppress) int64 {
	if !s.Close {
		return s.Limit.Milliseconds()
	}
	w := windowOf(b)
	n := w.Grace.Milliseconds()
	switch w.Kind {
	case model.Session:
		n += w.Size.Milliseconds() + 1
	case model.Sliding:
		n++
	}
	return n
}

// sentOn says whether the suppress of a table of sessions has sent one on: it is closed.
func (o *Oracle) sentOn(t *table, k inWindow) bool {
	s := suppressOf(t.block)
	if s == nil || !s.Close {
		return false
	}
	m := o.bufferOf(s)
	return m.time != math.MinInt64 && k.end+wait(t.block, s) <= m.time
}

// sentBy is the row of a key that the suppress at step i of a block sent last. One that waits for windows sends the row that the table has
// then, once.
func (o *Oracle) sentBy(b *model.Block, i int, s *model.Suppress, key any) *row {
	m, text := o.bufferOf(s), encode(types.NonNull(b.Out.Key), key)
	if !s.Close {
		return m.sent[string(text)]
	}
	if _, waits := m.held[string(text)]; waits || m.time == math.MinInt64 || key.(inWindow).end+wait(b, s) > m.time {
		return nil
	}
	return o.rowAt(b, i-1, key, true)
}

// suppress holds a change of a block's rows back, and goes on with those that leave.
func (o *Oracle) suppress(b *model.Block, s *model.Suppress, r record, on func(r record, was *row)) {
	m := o.bufferOf(s)
	m.time = max(m.time, r.ts)
	key := string(encode(types.NonNull(b.Out.Key), r.key))
	if s.Close && r.value == nil {
		delete(m.held, key)
	} else {
		h, ok := m.held[key]
		if !ok {
			h.at = r.ts
			if s.Close {
				h.at = r.key.(inWindow).end
			}
		}
		h.record = r
		m.held[key] = h
	}
	for len(m.held) > 0 {
		first := slices.MinFunc(slices.Collect(maps.Keys(m.held)), func(x, y string) int {
			return cmp.Or(cmp.Compare(m.held[x].at, m.held[y].at), cmp.Compare(bytesOf(b, m.held[x].key), bytesOf(b, m.held[y].key)))
		})
		h := m.held[first]
		due := h.at+wait(b, s) <= m.time
		full := s.MaxRecords > 0 && int64(len(m.held)) > s.MaxRecords || s.MaxBytes > 0 && m.bytes(b) > s.MaxBytes
		if !due && full && s.Stop {
			panic(stop{errFull})
		}
		if !due && !full {
			return
		}
		delete(m.held, first)
		var next *row
		if h.value != nil {
			next = &row{value: h.value, ts: h.ts}
		}
		if !s.Close && !differ(m.sent[first], next) {
			continue
		}
		was := m.sent[first]
		m.sent[first] = next
		on(h.record, was)
	}
}

// bytes is what the buffer holds, by the measure of the runtime: its time, its key, and its row as it is stored.
func (m *buffer) bytes(b *model.Block) (n int64) {
	for _, h := range m.held {
		n += int64(8 + 8 + len(bytesOf(b, h.key)) + 1 + 1)
		for _, x := range h.headers {
			n += int64(1 + len(x.Key) + 1 + len(x.Value))
		}
		switch v := h.value.(type) {
		case nil:
		case string:
			n += int64(len(v))
		default:
			missing("max_bytes of such values")
		}
	}
	return n
}

// bytesOf are the bytes of a key, with its window as a topic has it.
func bytesOf(b *model.Block, key any) string {
	k, ok := key.(inWindow)
	if !ok {
		return keyBytes(key)
	}
	bytes := []byte(keyBytes(k.key))
	if w, _ := types.WindowedOf(b.Out.Key); w.Kind == types.SessionWindows {
		bytes = binary.BigEndian.AppendUint64(bytes, uint64(k.end))
	}
	return string(binary.BigEndian.AppendUint64(bytes, uint64(k.start)))
}

// straight says whether a source table is read by one suppress and by nothing else: its store knows nothing of changes then.
func (o *Oracle) straight(b *model.Block) bool {
	list := o.readers[b.Address()]
	if len(list) != 1 || list[0].block == nil || list[0].join != nil || len(b.Steps) > 0 || len(list[0].block.Steps) == 0 {
		return false
	}
	for _, x := range o.program.Blocks {
		for _, s := range x.Steps {
			if j, ok := s.(*model.Join); ok && j.With == b {
				return false
			}
		}
	}
	_, ok := list[0].block.Steps[0].(*model.Suppress)
	return ok
}
