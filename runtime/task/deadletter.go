package task

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/streamgen/streamgen/runtime/record"
)

// Dead letters are records that could not be processed, with key, value, timestamp and headers as they came and headers behind
// those that say what happened, in the transaction that takes the program behind them.

// The headers of a dead letter. A row that could not go on at a commit has no topic, partition and offset.
const (
	LetterError     = "streamgen.error"     // what is wrong
	LetterClass     = "streamgen.class"     // "bad input", "the step failed", "refused by the sink"
	LetterStep      = "streamgen.step"      // address: "stream.parsed.map_values"
	LetterSpec      = "streamgen.spec"      // "app.hcl:12:3"
	LetterTask      = "streamgen.task"      // "task parsed-0"
	LetterTopic     = "streamgen.topic"     // where the record was read
	LetterPartition = "streamgen.partition" // in digits
	LetterOffset    = "streamgen.offset"    // in digits
	LetterRefused   = "streamgen.refused"   // the topic that a record was refused by; then there are no coordinates and no step
)

// bury sends a record to the topic of dead letters.
func (t *Task) bury(r *record.Record, p Position, c Class, err error) {
	topic, partition := t.Input(r.Input)
	t.letters.Send(r.Key, r.Value, r.Timestamp, append(t.letter(r.Headers, p, c, err),
		Header(LetterTopic, topic), Header(LetterPartition, strconv.Itoa(int(partition))), Header(LetterOffset, strconv.FormatInt(r.Offset, 10))))
}

// buryRow sends the key of a row, which is the store's, to the topic of dead letters. Its time is that of the wall clock.
func (t *Task) buryRow(key []byte, p Position, c Class, err error) {
	t.letters.Send(t.letters.Copy(key), nil, t.clock(), t.letter(nil, p, c, err))
}

// letter is the headers of a record, and behind them what is wrong with it.
func (t *Task) letter(headers []record.Header, p Position, c Class, err error) []record.Header {
	return append(slices.Clip(headers), Header(LetterError, err.Error()), Header(LetterClass, c.String()), Header(LetterStep, p.Address),
		Header(LetterSpec, fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)), Header(LetterTask, t.String()))
}

// Header is a header with a text.
func Header(key, value string) record.Header { return record.Header{Key: key, Value: []byte(value)} }
