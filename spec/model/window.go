package model

import (
	"fmt"
	"time"

	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/types"
)

// Window is the step window of a table: the making step behind it keeps a row for each key and window. It is no Step: the key
// changes its type with the making step, and what it says belongs to that.
type Window struct {
	Kind    WindowKind
	Size    time.Duration // tumbling, hopping; the difference of sliding windows; the gap of sessions
	Advance time.Duration // hopping: at most Size; tumbling: Size
	Grace   time.Duration // how long after its end a window takes records; not of unlimited
	Start   int64         // unlimited: milliseconds since the Unix epoch

	// Retention is how long rows can be read: one is gone once its start (of a session: its end) is not later than the largest
	// start stored less Retention. It is at least what grace needs. Unlimited windows are kept for ever.
	Retention time.Duration
	Late      Schema // what comes to the window, as table.x.late gives it
	Pos       diag.Range
}

// WindowKind is the label of a step window.
type WindowKind uint8

// The kinds of window.
const (
	Tumbling WindowKind = iota + 1
	Hopping
	Sliding
	Session
	Unlimited
)

var windowNames = [...]string{"", "tumbling", "hopping", "sliding", "session", "unlimited"}

// String is the label of a spec.
func (k WindowKind) String() string { return windowNames[k] }

// WindowKindByName finds a kind by its label.
func WindowKindByName(name string) (WindowKind, bool) {
	for k := Tumbling; k <= Unlimited; k++ {
		if windowNames[k] == name {
			return k, true
		}
	}
	return 0, false
}

// Key is the type of the keys of a table with such windows, whose records have a key of type t.
func (w *Window) Key(t types.Type) *types.Windowed {
	k := &types.Windowed{Key: types.NonNull(t)}
	switch w.Kind {
	case Tumbling, Hopping:
		k.Kind, k.Size = types.TimeWindows, w.Size.Milliseconds()
	case Sliding:
		k.Kind, k.Size = types.SlidingWindows, w.Size.Milliseconds()
	case Session:
		k.Kind = types.SessionWindows
	case Unlimited:
		k.Kind = types.UnlimitedWindows
	}
	return k
}

// Least is the shortest retention with which every record that is not late finds the rows that it needs: in sliding windows also that of
// the last window that ends before it, which may begin two differences before.
func (w *Window) Least() time.Duration {
	switch w.Kind {
	case Unlimited:
		return 0
	case Sliding:
		return 2*w.Size + w.Grace
	}
	return w.Size + w.Grace
}

// TakesNulls tells whether records without a value are grouped, too: not in sliding windows, as without a window.
func (w *Window) TakesNulls() bool { return w != nil && w.Kind != Sliding }

// String is the window as text, for dumps.
func (w *Window) String() string {
	s := "window " + w.Kind.String()
	switch w.Kind {
	case Unlimited:
		return fmt.Sprintf("%s start %d, late %s", s, w.Start, w.Late)
	case Hopping:
		s += fmt.Sprintf(" size %s advance %s", w.Size, w.Advance)
	default:
		s += fmt.Sprintf(" size %s", w.Size)
	}
	return fmt.Sprintf("%s grace %s retention %s, late %s", s, w.Grace, w.Retention, w.Late)
}

// Part is a part of a windowed key.
type Part uint8

// The parts of a windowed key.
const (
	InnerKey    Part = iota + 1
	WindowStart      // a timestamp
	WindowEnd        // a timestamp: of time windows the first behind it, of sessions and sliding windows the last in it
)

// WindowPart is a part of X, a windowed key that is not optional: what key is below a window, window.start and window.end.
type WindowPart struct {
	ExprBase
	X    Expr
	Part Part
}

// InWindow is windowed(Key, window): Key in the window of X, a windowed key that is not optional.
type InWindow struct {
	ExprBase
	Key, X Expr
}
