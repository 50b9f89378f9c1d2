package oracle

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// inWindow is a key with a window. The end is that which the kind of the window has: see types.Windows.
type inWindow struct {
	key        any
	start, end int64
}

// windowing is what a table with a window keeps beside its rows.
type windowing struct {
	time int64           // the greatest that came to the step
	left map[string]bool // rows that left

	times  []int64 // of a cogroup: the greatest of each input
	others int64   // of a cogroup: the least of the other inputs
}

// group puts a record into its windows: those that it is not too late for.
func (o *Oracle) group(t *table, s model.Step, r record) {
	w := t.block.Window
	t.windows.time = max(t.windows.time, r.ts)
	if w.Kind == model.Session || w.Kind == model.Sliding {
		if w.Kind == model.Session {
			o.perWindow(s, func() { o.session(t, s, r) }) // a step that fails has moved the time
		} else {
			o.slide(t, s, r)
		}
		if t.block.Emit == model.EmitFinal {
			o.close(t)
		}
		return
	}
	late, before := false, true
	for _, at := range windowsOf(w, r.ts) {
		before = false
		if w.Kind != model.Unlimited && at.start <= t.windows.time-w.Size.Milliseconds()-w.Grace.Milliseconds() { // an end may be beyond all times
			o.drops["late"]++
			if !late {
				o.leave(t.block.Address()+".late", r)
			}
			late = true
			continue
		}
		at.key = r.key
		o.perWindow(s, func() { o.add(t, s, at, r) })
	}
	if before {
		o.drops["before window"]++
	}
	if t.block.Emit == model.EmitFinal {
		o.close(t)
	}
}

// perWindow runs a step for one window of a record: one in which it fails stays as it was, and the next ones have their turn.
func (o *Oracle) perWindow(s model.Step, f func()) {
	o.try("the step failed", s.Base().OnError, s.Base().Address, f)
}

// windowsOf are the windows that hold a time, in order.
func windowsOf(w *model.Window, ts int64) (list []inWindow) {
	if w.Kind == model.Unlimited {
		if ts >= w.Start {
			list = append(list, inWindow{start: w.Start, end: math.MaxInt64})
		}
		return list
	}
	size, advance := w.Size.Milliseconds(), w.Advance.Milliseconds()
	if w.Kind != model.Tumbling && w.Kind != model.Hopping {
		missing("the window %s", w.Kind)
	}
	for start := ts / advance * advance; start >= 0 && ts-start < size; start -= advance {
		end := start + size
		if end < start { // beyond all times
			end = math.MaxInt64
		}
		list = append(list, inWindow{start: start, end: end})
	}
	slices.Reverse(list)
	return list
}

// closed says whether a window that ends then takes no more records at a time.
func closed(w *model.Window, end, time int64) bool {
	if time == math.MinInt64 { // an input of a cogroup had no record yet
		return false
	}
	switch grace := w.Grace.Milliseconds(); w.Kind {
	case model.Session:
		return end < time-grace-w.Size.Milliseconds()
	case model.Sliding:
		return end < time-grace
	default:
		return end <= time-grace
	}
}

// timeOf is the time by which a row expires: the start of its window, of a session the end.
func (t *table) timeOf(k inWindow) int64 {
	if w := windowOf(t.block); w != nil && w.Kind == model.Session {
		return k.end
	}
	return k.start
}

// close lets rows leave whose window takes no more records: by end, start and the bytes of the key, each once.
func (o *Oracle) close(t *table) {
	var due []*row
	for text, row := range t.rows {
		if k := row.key.(inWindow); closed(t.block.Window, k.end, t.windows.passed()) && !t.windows.left[text] {
			due = append(due, row)
		}
	}
	slices.SortFunc(due, func(a, b *row) int {
		x, y := a.key.(inWindow), b.key.(inWindow)
		return cmp.Or(cmp.Compare(x.end, y.end), cmp.Compare(x.start, y.start), cmp.Compare(keyBytes(x.key), keyBytes(y.key)))
	})
	for _, row := range due {
		o.changed(t, nil, row, t.last[t.keyText(row.key)])
	}
	for _, row := range due { // until all of them have left, each can be read
		t.windows.left[t.keyText(row.key)] = true
	}
}

// keyBytes are the bytes of a key as a topic has them.
func keyBytes(key any) string {
	switch k := key.(type) {
	case string:
		return k
	case []byte:
		return string(k)
	case int64:
		return string(binary.BigEndian.AppendUint64(nil, uint64(k)))
	case float64:
		return string(binary.BigEndian.AppendUint64(nil, math.Float64bits(k)))
	case bool:
		return string([]byte{map[bool]byte{true: 1}[k]})
	}
	missing("the order of such keys")
	return ""
}

// expired says whether a row can be read no longer: its window begins too far before the latest one that got a row.
func (t *table) expired(key any) bool {
	k, ok := key.(inWindow)
	w := windowOf(t.block)
	if ok && t.block.Emit == model.EmitFinal && !t.windows.left[t.keyText(key)] {
		return false // it has to leave first
	}
	return ok && w != nil && w.Kind != model.Unlimited && t.timeOf(k) <= t.latest-w.Retention.Milliseconds()
}

// windowOf is the window that the rows of a table are of, as far as they have one.
func windowOf(b *model.Block) *model.Window {
	for b.Window == nil {
		if !ofTable(b) {
			return nil
		}
		b = b.From[0].Block
	}
	return b.Window
}

func encodeWindowed(t *types.Windowed, k inWindow) json.RawMessage {
	b := append([]byte(`{"key":`), encode(t.Key, k.key)...)
	for _, x := range []struct {
		name string
		at   int64
	}{{"start", k.start}, {"end", k.end}} {
		b = append(append(b, `,"`+x.name+`":`...), encode(types.Int64, x.at)...)
	}
	return append(b, '}')
}

func decodeWindowed(t *types.Windowed, read func(any)) inWindow {
	var k struct {
		Key        json.RawMessage
		Start, End int64
	}
	read(&k)
	return inWindow{decode(t.Key, k.Key), k.Start, k.End}
}

func windowPart(e *model.WindowPart, k inWindow) any {
	switch e.Part {
	case model.WindowStart:
		return k.start
	case model.WindowEnd:
		return k.end
	}
	return k.key
}
