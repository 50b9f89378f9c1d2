package task

import (
	"fmt"

	"github.com/streamgen/streamgen/runtime/record"
)

// CorruptError is a record of an internal topic that cannot be read. The program wrote it, or somebody else did who must not:
// no error policy skips it.
type CorruptError struct {
	Topic     string
	Partition int32
	Offset    int64
	Err       error
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("topic %s partition %d offset %d: not a record that this program writes: %v", e.Topic, e.Partition, e.Offset, e.Err)
}

func (e *CorruptError) Unwrap() error { return e.Err }

// Corrupt is the error for a record of an internal topic that cannot be read. The step returns it.
func (t *Task) Corrupt(r *record.Record, err error) error {
	in := t.inputs.list[r.Input]
	return &CorruptError{Topic: in.Topic, Partition: in.Partition, Offset: r.Offset, Err: err}
}
