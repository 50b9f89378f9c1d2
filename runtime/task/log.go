package task

import (
	"context"
	"log/slog"
	"time"
)

// logBurst is how many messages a step may log a second in one task; the rest is counted and said once.
const logBurst = 10

// Log writes a message of a step: peek. It is limited for each step, because a line for each record would cost more than
// processing it.
func (t *Task) Log(level slog.Level, at At, message string) {
	if t.logger.Enabled(context.Background(), level) {
		t.limited(level, at, message, "at", t.positions[at].Address, "task", t.String())
	}
}

// limited writes a message of a step, unless it has written too many already.
func (t *Task) limited(level slog.Level, at At, message string, attrs ...any) {
	if !t.logger.Enabled(context.Background(), level) {
		return
	}
	l := &t.limits[at]
	now := time.Now()
	if now.Sub(l.since) >= time.Second {
		if l.held > 0 {
			t.logger.Log(context.Background(), level, "more messages of this step were left out", "at", t.positions[at].Address,
				"task", t.String(), "left_out", l.held)
		}
		*l = limit{since: now}
	}
	if l.n++; l.n > logBurst {
		l.held++
		return
	}
	t.logger.Log(context.Background(), level, message, attrs...)
}

type limit struct {
	since time.Time
	n     int
	held  int
}
