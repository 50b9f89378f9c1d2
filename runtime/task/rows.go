package task

import (
	"bytes"
	"fmt"
)

// RowError is a changed row of a table that a step with the policy "fail" could not process when it went on at a commit.
type RowError struct {
	Task     string
	Position Position
	Class    Class
	Key      []byte
	Err      error
}

func (e *RowError) Error() string {
	p := e.Position
	return fmt.Sprintf("%s:%d:%d: %s: %s: row of key %q: %s: %v", p.File, p.Line, p.Column, p.Address, e.Task, e.Key, e.Class, e.Err)
}

func (e *RowError) Unwrap() error { return e.Err }

// RejectRow is Reject for a row of a table that goes on at a commit, when no record is at hand. The key names it.
func (t *Task) RejectRow(key []byte, at At, c Class, err error) error {
	if err := t.interrupted(c, err); err != nil {
		return err
	}
	p := t.positions[at]
	switch p.OnError {
	case DeadLetter:
		t.buryRow(key, p, c, err)
		fallthrough
	case Skip:
		t.skipped(at, c).Inc()
		return nil
	}
	return &RowError{Task: t.String(), Position: p, Class: c, Key: bytes.Clone(key), Err: err} // the key is the store's
}
