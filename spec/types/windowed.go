package types

import (
	"fmt"
	"time"
)

// Windows is what the bounds of a windowed key mean. Keys of tumbling and of hopping windows are alike: both are time windows.
type Windows uint8

// The kinds of windowed keys.
const (
	TimeWindows      Windows = iota + 1 // [start, start+size)
	SlidingWindows                      // [start, start+size], both ends in
	SessionWindows                      // [start, end], both ends in
	UnlimitedWindows                    // [start, for ever)
)

var windowsNames = [...]string{"?", "time", "sliding", "session", "unlimited"}

// String is the word of a spec.
func (w Windows) String() string { return windowsNames[w] }

// WindowsByName finds a kind by the word that a spec has for it.
func WindowsByName(name string) (Windows, bool) {
	for w := TimeWindows; w <= UnlimitedWindows; w++ {
		if windowsNames[w] == name {
			return w, true
		}
	}
	return 0, false
}

// Sized tells whether windows of the kind have a length of their own: what a key on the wire does not say.
func (w Windows) Sized() bool { return w == TimeWindows || w == SlidingWindows }

// String is windowed(K) with what tells its windows from others: windowed(string, { kind = "time", size = "10ms" }).
func (w *Windowed) String() string {
	s := "windowed("
	if w.Key != nil { // of a format without its type
		s += w.Key.String()
	}
	if w.Kind != 0 {
		s += fmt.Sprintf(", { kind = %q", w.Kind.String())
		if w.Kind.Sized() {
			s += fmt.Sprintf(", size = %q", Length(time.Duration(w.Size)*time.Millisecond))
		}
		s += " }"
	}
	return s + ")"
}

// Length is a length of time as a spec has it: in the largest unit that it is a whole number of.
func Length(d time.Duration) string {
	for _, u := range []struct {
		unit time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}} {
		if d != 0 && d%u.unit == 0 {
			return fmt.Sprintf("%d%s", d/u.unit, u.name)
		}
	}
	if d == 0 {
		return "0s"
	}
	return fmt.Sprintf("%dms", d.Milliseconds())
}

// WindowedOf is t as a windowed key, also if it is optional.
func WindowedOf(t Type) (*Windowed, bool) {
	w, ok := NonNull(t).(*Windowed)
	return w, ok
}
