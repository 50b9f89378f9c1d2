package plan

import (
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// suppress writes what holds a change back.
func (r *run) suppress(n *node) {
	s := n.step.(*model.Suppress)
	r.newest(s)
	r.encodeKey(n.store.Key, nil)
	r.add(&Suppress{Suppress: s, Store: n.store}, nil, s, func(out *State) {
		out.Key.Type, out.Value.Type = n.reader.Key, n.reader.Value
	})
}

// sendsOnce says of a suppress whether it sends each row once, when its window closes.
func (n *node) sendsOnce() bool { return n.step.(*model.Suppress).Close }

// suppresses makes a store that of a suppress.
func (s *Store) suppresses(n *node) {
	step, ok := n.step.(*model.Suppress)
	if n.kind != suppressNode || !ok {
		return
	}
	s.Kind, s.Final, s.Window = Suppressed, true, nil
	s.Value = types.NonNull(step.Out.Value)
	if !step.Close {
		return
	}
	s.Window = rootWindow(n.block)
	if m := n.in[0]; m.kind == updateNode && m.store != nil && m.store.Kind == Sessions {
		m.store.Closer = s // what was sent does not grow any more
	}
}

// Wait is how long behind the end of a window, in milliseconds, its row leaves a suppress: when no record can change it any more.
func (s *Store) Wait() int64 {
	step := s.Make.(*model.Suppress)
	if !step.Close {
		return step.Limit.Milliseconds()
	}
	grace := s.Window.Grace.Milliseconds()
	switch s.Window.Kind {
	case model.Session:
		return grace + s.Window.Size.Milliseconds() + 1
	case model.Sliding:
		return grace + 1
	}
	return grace
}
