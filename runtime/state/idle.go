package state

// This file is how stream time passes without records: the clocks by which rows leave are moved on. They are saved with the epoch like
// at any other move, so a restart does not go back, and what comes too late for them is late. A clock that no record has set stays
// as it is.

// pass moves clocks on by milliseconds.
func pass(clocks []*Clock, by int64) {
	for _, c := range clocks {
		if c.Time != Never {
			c.Time = after(c.Time, by)
		}
	}
}

// Pass moves the clocks of all inputs on by milliseconds. What is due leaves with Close.
func (w *Windowed[V]) Pass(by int64) {
	pass(w.clocks, by)
	w.over = w.endedAt(slowest(w.clocks))
}

// Pass moves the clocks of all inputs on by milliseconds. What is due leaves with Close.
func (s *Sliding[V]) Pass(by int64) { pass(s.clocks, by) }

// Pass moves the clocks of all inputs on by milliseconds. What is due leaves with Close.
func (s *Sessions[V]) Pass(by int64) { pass(s.clocks, by) }

// Pass moves the clock on by milliseconds. What is due leaves with Close.
func (s *Suppress[V]) Pass(by int64) { pass([]*Clock{s.clock}, by) }

// Pass moves the clock of null results on by milliseconds; those of the sides, by which rows are held, stay. What is due leaves with Due.
func (j *Joined) Pass(by int64) { pass([]*Clock{j.stream}, by) }

// Overdue says whether null results may be due that no record has made leave.
func (j *Joined) Overdue() bool {
	return !j.begun || j.sides[Left].overdue() || j.sides[Right].overdue()
}

// Pass moves the clock on by milliseconds. What is due leaves with Due.
func (g *Graced) Pass(by int64) { g.joined.Pass(by) }

// Overdue says whether records may be due that no other one has made leave.
func (g *Graced) Overdue() bool { return g.joined.Overdue() }
