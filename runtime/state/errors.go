package state

import (
	"errors"
	"fmt"
)

// What can be wrong with a state directory. None is repaired by itself: a directory is only ever emptied by Remove.
var (
	// ErrForeign says that a directory holds something else than a task's database.
	ErrForeign = errors.New("not a state directory")

	// ErrLocked says that the database is open already, most likely in another process.
	ErrLocked = errors.New("in use")

	// ErrCorrupt says that the database is damaged, or of a version that cannot be read.
	ErrCorrupt = errors.New("unreadable")
)

// SchemaError says that a store was written by a program with another idea of it.
type SchemaError struct {
	Where       string // where it was found: a directory, or its changelog
	Found, Want Schema
}

// Error says what changed and what to do.
func (e *SchemaError) Error() string {
	if e.Found.Name != e.Want.Name {
		return fmt.Sprintf("store %d in %s is %q, the program has %q there: remove the directory, the stores are then restored from their changelogs",
			e.Want.ID, e.Where, e.Found.Name, e.Want.Name)
	}
	return fmt.Sprintf("store %q in %s was written with another format of its rows: %s there, %s in the program: "+
		"give the store a new name, or go back to the program that wrote it", e.Want.Name, e.Where, e.Found.Fingerprint, e.Want.Fingerprint)
}
