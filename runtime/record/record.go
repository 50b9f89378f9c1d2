// Package record holds what passes through a task: views of input records, the output of an epoch, and the arena that
// output and encoded state are written to.
//
// It stands below everything else of the runtime and imports the standard library only: kafka converts its types from
// and to the client's, task fills and drains them, generated code reads records and sends to topics.
package record

// Header is one record header. Its underlying type is that of the client's header, so that a header list is passed
// through without a copy.
type Header struct {
	Key   string
	Value []byte
}

// Record is a read-only view of one input record.
//
// Key, Value and Headers point into the memory of the fetch they came with. That memory belongs to the garbage collector
// and is never written or reused, so a view that is kept by mistake pins a fetch but never changes under its holder.
// State copies what it keeps.
type Record struct {
	Key       []byte // nil: null; empty and not nil: an empty key
	Value     []byte // nil: null
	Headers   []Header
	Timestamp int64  // milliseconds since the Unix epoch
	Offset    int64  // in its partition
	Input     uint16 // index into the task's inputs: the topic and partition it was read from
	Source    uint8  // index into the sub-topology's Sources
}

// Batch is a run of records of one task in processing order. The records of several sources are merged already, each
// tagged with its Source: a sub-topology is called once a batch, however its inputs interleave.
//
// A batch belongs to the task's goroutine until Process returns. Then the runtime reuses Records, not what the views
// point at.
type Batch struct {
	Records []Record
	Next    int // kept by code that calls functions of the user's: where to go on if one of them panics

	// More says that rows which leave were too many for one step: Process has returned in front of record number Next, and is to be
	// called again with the records from there on, even if there are none. What is done until then may be committed.
	More bool
}
