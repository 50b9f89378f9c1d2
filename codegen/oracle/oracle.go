// Package oracle interprets a model the naive way: values are Go's own, rows lie in maps, a record is followed from step to
// step by walking the blocks. It is what generated programs are held against, so it knows nothing of plans, of the engine,
// or of how anything is made fast. Only tests import it.
//
// It commits after each record of a source: that is when emit = "updates" sends what changed. What it does not know is an error that
// says so, never a guess.
package oracle

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// Record is a record of a topic, with key and value as JSON by their types: bytes are base64, null is "null".
type Record struct {
	Topic      string
	Key, Value json.RawMessage
	Timestamp  int64 // milliseconds
	Headers    []Header
}

// Header is a header of a record. A nil Value is null.
type Header struct {
	Key   string
	Value []byte
}

// Row is a row of a table.
type Row struct {
	Key, Value json.RawMessage
	Timestamp  int64

	AsOf func(timestamp int64) (value json.RawMessage, at int64) // of a table with a history
}

// NotCovered is what the oracle does not know.
type NotCovered struct{ What string }

// Error implements error.
func (e *NotCovered) Error() string { return "oracle: not covered: " + e.What }

// Oracle is a program that runs.
type Oracle struct {
	program *model.Program
	tables  map[*model.Block]*table
	order   []*table // each behind those that it is made of
	memory  map[*model.Dedup]*memory
	joins   map[*model.StreamJoin]*joinSides
	buffers map[*model.Suppress]*buffer
	graced  map[*model.Join]*graced
	globals map[*model.Block]map[string]any // rows of global tables, by their keys as JSON
	times   map[*model.Block]int64          // the greatest event time of a source
	readers map[string][]reader             // by address of what they read, in the order in which they stand
	waiting []func()                        // what goes on behind a repartition
	drops   map[string]int
	sent    *[]Record
	stopped error
	parts   []*Oracle // see NewPartitioned; of one partition itself
	of      func(key []byte) int
	nulls   int // records of sources without a key
	turn    int // counts the records in hand, of sources and of topics in between
	foreign map[place]*foreign

	sentRows map[place]map[string]*row // where rows are kept as they were sent
	latest   map[place]int64           // of stores of windows behind other steps: the greatest start that they got
}

// New begins a program with empty tables.
func New(p *model.Program) (o *Oracle, err error) {
	defer recovered(&err)
	o = &Oracle{
		program: p, tables: map[*model.Block]*table{}, memory: map[*model.Dedup]*memory{}, joins: map[*model.StreamJoin]*joinSides{}, buffers: map[*model.Suppress]*buffer{}, times: map[*model.Block]int64{}, graced: map[*model.Join]*graced{}, globals: map[*model.Block]map[string]any{}, foreign: map[place]*foreign{}, latest: map[place]int64{},
		readers: readers(p), drops: map[string]int{}, sent: new([]Record),
	}
	o.parts = []*Oracle{o}
	for _, b := range p.Blocks {
		o.tableOf(b)
		for _, s := range b.Steps {
			for _, e := range model.Exprs(s) {
				model.Walk(e, covered)
			}
		}
	}
	return o, nil
}

// Feed processes a record of a source to the end, and commits. An error is a record that a step could not process and may not
// skip: the program has stopped.
func (o *Oracle) Feed(r Record) (err error) {
	if o.stopped != nil {
		return o.stopped
	}
	defer func() { o.stopped = err }()
	defer recovered(&err)
	at := o.partOf(r)
	at.turn++
	for _, b := range o.program.Blocks {
		if b.Source != nil && slices.Contains(b.Source.Topics, r.Topic) {
			at.source(b, r)
		}
	}
	at.commit()
	for o.goOn() {
	}
	return nil
}

// Sent is what was sent to sinks since it was asked last.
func (o *Oracle) Sent() []Record {
	sent := *o.sent
	*o.sent = nil
	return sent
}

// Dropped is how many records were dropped, by reason.
func (o *Oracle) Dropped() map[string]int { return maps.Clone(o.drops) }

// Table is the rows of the store of that name, by partition and key. An error says that there is none, or that JSON has no way to write
// a row: infinities.
func (o *Oracle) Table(name string) (all []Row, err error) {
	for _, part := range o.parts {
		rows, err := part.rowsOfStore(name)
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}

func (o *Oracle) rowsOfStore(name string) (all []Row, err error) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case failure:
			err = x
		default:
			panic(x)
		}
	}()
	list := func(at place, all map[string]*row, expired func(any) bool) (rows []Row) {
		for _, key := range slices.Sorted(maps.Keys(all)) {
			if r := all[key]; !expired(r.key) {
				rows = append(rows, Row{Key: json.RawMessage(key), Value: encode(types.NonNull(at.schema().Value), r.value), Timestamp: r.ts})
			}
		}
		return rows
	}
	for _, t := range o.order {
		if t.name == name && t.versions != nil {
			return t.versionRows(), nil
		}
		if t.name == name {
			return list(t.place(), t.rows, t.expired), nil
		}
	}
	for _, b := range o.program.Blocks {
		for i, s := range b.Steps {
			if st, ok := s.(*model.Store); ok && st.Label == name && b.Kind == model.Table {
				at := place{b, i}
				return list(at, o.kept(at), func(key any) bool { return o.letGo(at, key) }), nil
			}
		}
	}
	return nil, fmt.Errorf("oracle: there is no table %q", name)
}

// Tables are the names of the stores that hold tables.
func (o *Oracle) Tables() (names []string) {
	for _, t := range o.order {
		names = append(names, t.name)
	}
	return names
}

// failure is a panic: evaluating an expression failed, which its step's policy or a try decides about.
type failure struct{ error }

// stop is a panic: a record that may not be skipped.
type stop struct{ error }

func fail(format string, args ...any) { panic(failure{fmt.Errorf(format, args...)}) }

func missing(format string, args ...any) { panic(stop{&NotCovered{fmt.Sprintf(format, args...)}}) }

// recovered makes an error of a stop.
func recovered(err *error) {
	switch p := recover().(type) {
	case nil:
	case stop:
		*err = p.error
	default:
		panic(p)
	}
}

// attempt says whether f came to its end; else it failed.
func attempt(f func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			failed, ok := p.(failure)
			if !ok {
				panic(p)
			}
			err = failed.error
		}
	}()
	f()
	return nil
}

// try runs a step's f on a record. false: it failed, and the record is skipped.
func (o *Oracle) try(class string, policy model.OnError, address string, f func()) bool {
	err := attempt(f)
	if err != nil && policy == model.DeadLetter {
		missing("dead letters")
	}
	if err != nil && policy != model.Skip {
		panic(stop{errors.New(address + ": " + class + ": " + err.Error())})
	}
	if err != nil {
		o.drops[class]++
	}
	return err == nil
}

func covered(e model.Expr) {
	for _, word := range []string{"decimal(", "uuid", "float32"} {
		if t := e.Base().Type; t != nil && strings.Contains(t.String(), word) && !isRecord(t) {
			missing("type %s", t)
		}
	}
	if _, ok := e.(*model.UserCall); ok {
		missing("a function of the user's")
	}
}

func isRecord(t types.Type) bool {
	_, ok := types.NonNull(t).(*types.Record)
	return ok
}
