// Package state holds the typed stores of a task.
//
// A store is an overlay of rows in their Go type above a Backend that holds committed rows only. Reads look into the
// overlay first. At a commit the changed rows are encoded once (Freeze); the bytes go to the changelog and, when the
// transaction has committed, in one batch to the backend (Apply). The overlay is row cache, transaction buffer and
// de-duplicator of the changelog in one.
//
// Invariants:
//
//   - Committed only: a backend never holds a row of a transaction that is not known to have committed.
//   - Resident until applied: a row changed in an epoch that is not applied yet is in the overlay. So a key that is not
//     there has no newer row than the backend's.
//   - One in flight: at most one epoch is frozen and not applied; the next one is being processed meanwhile.
//   - Bytes only: what is frozen shares no memory with what the task still writes.
//   - One batch: rows, deleted ranges, clocks and positions of an epoch change together.
//
// A task's Stores belong to the task's goroutine. The committer and queries see bytes only: Frozen and the Backend.
//
// It stands on record, and is the only package that imports Pebble. Tasks hold Stores, generated code makes its stores
// from them, and the engine opens, restores and closes the backends.
package state
