package plan

import (
	"fmt"
	"math"
	"time"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// addWindow makes the node that finds the windows of a record, in front of a making step. Records that are too late go another way.
func (p *planner) addWindow(b *model.Block, making model.Step, in *node, rank int) *node {
	w := p.add(&node{kind: windowNode, block: b, making: making, rank: rank, in: []*node{in}, reader: b.Window.Late})
	p.lates[b] = p.add(&node{kind: lateNode, block: b, making: making, rank: rank, in: []*node{w}, reader: b.Window.Late})
	return w
}

// way is the node behind a windowNode of one kind: the making step, or what reads the late records; nil if nobody does.
func (n *node) way(k kind) *node {
	for _, m := range n.out {
		if m.kind == k {
			return m
		}
	}
	return nil
}

// window writes what finds the windows of a record, and the ways from there on. Where a record is in several windows, what stands
// behind happens for each of them, in a Func of its own.
func (r *run) window(n *node) {
	at := r.p.stepPosition(n.making)
	r.dropNullKey(at)
	if !n.block.Window.TakesNulls() {
		r.dropNullValue(at)
	}
	update := n.way(updateNode)
	r.encodeKey(update.store.Key.Elem(), at)
	op := &Windows{Store: update.store, Input: n.input}
	if late := n.way(lateNode); late != nil {
		op.Late = r.call(late, r.state)
	}
	kind := n.block.Window.Kind
	r.add(op, at, nil, func(out *State) { out.Window = kind != model.Session })
	if kind == model.Hopping || kind == model.Sliding || update.store.Final { // rows leave once the record is done with
		r.add(&Call{To: []*Func{r.call(update, r.state)}}, nil, nil)
		return
	}
	r.pass(update)
}

// rootWindow is the window that the rows of a table are of: its own, or that of the tables which its rows come from; nil: they have none.
func rootWindow(b *model.Block) *model.Window {
	for b.Window == nil {
		if b.Kind != model.Table || len(b.From) != 1 || b.From[0].Late || b.From[0].Block.Kind != model.Table {
			return nil
		}
		b = b.From[0].Block
	}
	return b.Window
}

// windowed makes a store one of windows: with what its table says of them, or of rows that come from such a table.
func (s *Store) windowed(n *node) {
	w := rootWindow(n.block)
	if _, ok := types.WindowedOf(s.Key.Type); !ok || w == nil {
		return
	}
	s.Kind, s.Window = Windowed, w
	switch {
	case w.Kind == model.Session && n.kind == updateNode:
		s.Kind = Sessions
	case w.Kind == model.Session: // rows of another table's sessions lie by their whole key
		s.Kind, s.Window = KeyValue, nil
	case w.Kind == model.Sliding && n.kind == updateNode:
		s.Kind = Sliding
	}
	s.Final = n.kind == updateNode && n.block.Emit == model.EmitFinal
}

// WindowSize is the length of the windows of a store in milliseconds, the largest number for windows that never end.
func (s *Store) WindowSize() int64 {
	if s.Window.Kind == model.Unlimited {
		return math.MaxInt64
	}
	return s.Window.Size.Milliseconds()
}

// Retention is how long the rows of a windowed store can be read, in milliseconds, the largest number for ever.
func (s *Store) Retention() int64 {
	if s.Window.Kind == model.Unlimited {
		return math.MaxInt64
	}
	return s.Window.Retention.Milliseconds()
}

// windowText is what a windowed store is, in few words.
func (s *Store) windowText() string {
	w := s.Window
	if w == nil {
		return ""
	}
	text := w.Kind.String()
	switch w.Kind {
	case model.Unlimited:
		return fmt.Sprintf("%s from %s", text, time.UnixMilli(w.Start).UTC().Format(time.RFC3339))
	case model.Hopping:
		text += fmt.Sprintf(" %s every %s", types.Length(w.Size), types.Length(w.Advance))
		if s.Panes {
			text += " by pane"
		}
	default:
		text += " " + types.Length(w.Size)
	}
	return fmt.Sprintf("%s, grace %s, kept %s", text, types.Length(w.Grace), types.Length(w.Retention))
}

// fingerprintKind is the part of a store's fingerprint that says what its rows are.
func (s *Store) fingerprintKind() string {
	switch s.Kind {
	case Suppressed:
		return "suppressed 1"
	case Versioned:
		return "versioned 1"
	case Subscriptions:
		return "subscriptions 1"
	case Windowed, Sliding, Sessions:
	default:
		return "key_value 1"
	}
	version := 1
	if s.Kind == Sessions {
		version = 2
	}
	text := fmt.Sprintf("windowed %d %s %d %d %d final=%t", version, s.Window.Kind, s.Window.Size.Milliseconds(), s.Window.Advance.Milliseconds(), s.Window.Start, s.Final)
	if s.Panes {
		text += " panes"
	}
	return text
}
