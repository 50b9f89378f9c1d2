package vectors

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/testdriver"
	"github.com/streamgen/streamgen/runtime/topology"
)

// Result is the outcome of one vector.
type Result struct {
	Scenario string `json:"scenario"`
	Vector   string `json:"vector"`             // file; "" if the scenario could not be read
	About    string `json:"about,omitempty"`    // of the vector
	Inputs   int    `json:"inputs"`             // records fed
	Outputs  int    `json:"outputs"`            // records sent to sinks
	Failure  string `json:"failure,omitempty"`  // what differs, with the line; several lines of text
	LeftOut  int    `json:"left_out,omitempty"` // outputs that change nothing, which were rightly not sent
	Differs  string `json:"differs,omitempty"`  // of a ks-only vector: the first difference beside those
}

// Subject is what can be held against vectors: a testdriver.Driver, or another that takes and gives the same.
type Subject interface {
	Pipe(topic string, records ...testdriver.Record) error
	Advance(by time.Duration)
	Run() error
	Sent() []testdriver.Record
	Dropped() []testdriver.Drop
	Store(name string) ([]testdriver.Row, error)
	Close()
}

type beginner func(testdriver.Options) (Subject, error)

// Run holds a topology against all vectors of the scenario in dir: undisturbed, then with an abort, a crash or a hand-over while each
// record is on its way, and with rows that leave memory as soon as they are committed, which must make no difference. top makes a new
// declaration each time it is called.
func Run(name string, top func() *topology.Topology, dir fs.FS) []Result {
	return runAll(name, dir, true, func(o testdriver.Options) (Subject, error) { return testdriver.New(top(), o) })
}

// RunSubject is Run for another subject than a driver, undisturbed. begin makes a new one each time it is called.
func RunSubject(name string, begin func() (Subject, error), dir fs.FS) []Result {
	return runAll(name, dir, false, func(testdriver.Options) (Subject, error) { return begin() })
}

func runAll(name string, dir fs.FS, disturb bool, begin beginner) []Result {
	s, err := Open(dir)
	if err != nil {
		return []Result{{Scenario: name, Failure: err.Error()}}
	}
	if len(s.Vectors) == 0 {
		return []Result{{Scenario: name, Failure: "scenario.json lists no vectors"}}
	}
	var results []Result
	for i := range s.Vectors {
		if s.Commits == commitsTables {
			v := &s.Vectors[i]
			results = append(results, Result{Scenario: name, Vector: v.File, About: v.About, Failure: s.commits(v, begin)})
			continue
		}
		r := s.hold(name, &s.Vectors[i], begin, way{})
		for _, w := range ways {
			if !disturb || r.Failure != "" {
				break
			}
			disturbed := s.hold(name, &s.Vectors[i], begin, w)
			switch {
			case disturbed.Failure != "":
				r.Failure = w.name + ": " + disturbed.Failure
			case disturbed.Differs != r.Differs:
				r.Failure = w.name + " other than without: " + disturbed.Differs
			}
		}
		if disturb && r.Failure == "" && s.Commits != "" && s.Vectors[i].Partitions <= 1 { // else their order among each other may be another
			r.Failure = s.commits(&s.Vectors[i], begin)
		}
		results = append(results, r)
	}
	return results
}

// way is a way to play a vector that makes no difference to what comes out.
type way struct {
	name    string
	disturb bool // abort, crash or hand over while each record is on its way
	options testdriver.Options
}

var ways = []way{
	{name: "with aborts, crashes and hand-overs", disturb: true},
	{name: "with no memory for rows", options: testdriver.Options{Memory: 1}},
}

func (s *Scenario) hold(name string, v *Vector, begin beginner, w way) Result {
	r := &run{Scenario: s, vector: v, way: w, result: Result{Scenario: name, Vector: v.File, About: v.About}, rows: map[string]string{}}
	err := r.safely(begin)
	var m *mismatch
	switch {
	case errors.As(err, &m) && v.ForeignOnly() && !m.always:
		r.result.Differs = err.Error()
	case err != nil:
		r.result.Failure = err.Error()
	}
	return r.result
}

// mismatch is a difference to the vector; always: to a rule that holds in every vector.
type mismatch struct {
	text   string
	always bool
}

func (m *mismatch) Error() string { return m.text }

// run is one vector being played.
type run struct {
	*Scenario
	vector *Vector
	way    way
	result Result
	driver Subject
	rows   map[string]string // topic and key of a table output to value and timestamp, as sent last
	first  error             // of a ks-only vector, which is played to its end nevertheless
}

// safely is play; a panic of the topology fails the vector, not the others.
func (r *run) safely(begin beginner) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: panic: %v\n%s", r.vector.File, p, debug.Stack())
		}
	}()
	return r.play(begin)
}

func (r *run) play(begin beginner) (err error) {
	steps, err := r.steps(r.vector.File)
	if err != nil {
		return err
	}
	options := r.way.options
	options.Partitions = r.vector.Partitions
	if r.driver, err = begin(options); err != nil {
		return err
	}
	defer r.driver.Close()
	for i := range steps {
		err := r.step(&steps[i])
		var m *mismatch
		if errors.As(err, &m) && r.vector.ForeignOnly() && !m.always {
			if r.first == nil {
				r.first = err
			}
			continue // the rules that hold everywhere are looked at on to the end
		}
		if err != nil {
			return err
		}
		if steps[i].Error != "" {
			return r.first
		}
	}
	if err := r.dropped(); err != nil && !r.vector.ForeignOnly() {
		return err
	}
	return r.first
}

// step feeds one line and compares what it gave.
func (r *run) step(st *step) error {
	at := func(format string, args ...any) error {
		return fmt.Errorf("%s:%d: %s", r.vector.File, st.line, fmt.Sprintf(format, args...))
	}
	switch {
	case st.Stores != nil:
		return r.stores(st)
	case st.Advance != nil:
		r.driver.Advance(time.Duration(*st.Advance) * time.Millisecond)
	case st.In != "":
		rec, err := r.input(st)
		if err != nil {
			return at("%v", err)
		}
		if err := r.driver.Pipe(st.In, rec); err != nil {
			return at("%v", err)
		}
		r.result.Inputs++
	default:
		return at("neither an input, nor a time, nor stores: %s", st.text)
	}
	err := r.process(st)
	if st.Error != "" {
		if err == nil {
			return &mismatch{text: fmt.Sprintf("%s:%d: should have stopped (%s)\n  %s", r.vector.File, st.line, st.Error, st.text)}
		}
		return nil
	}
	if err != nil {
		return at("%v\n  %s", err, st.text)
	}
	return r.outputs(st)
}

// process runs the driver until nothing is left. To disturb it is to abort or crash it on the way, or to hand its tasks over, by the line:
// before anything was done, or between two sub-topologies.
func (r *run) process(st *step) error {
	line := st.line
	if d, ok := r.driver.(*testdriver.Driver); ok && r.way.disturb && st.Advance == nil { // the silence of sources would begin anew
		for range line % 3 {
			if _, err := d.Step(); err != nil {
				return err
			}
		}
		disturbances := []func() error{d.Abort, d.Crash, d.CrashBeforeApply, d.CrashAndLoseState, d.HandOver}
		if err := disturbances[line%len(disturbances)](); err != nil {
			return err
		}
	}
	return r.driver.Run()
}

func (r *run) input(st *step) (testdriver.Record, error) {
	topic, ok := r.Inputs[st.In]
	if !ok {
		return testdriver.Record{}, fmt.Errorf("the scenario has no input %q", st.In)
	}
	rec := testdriver.Record{Timestamp: st.TS}
	var err error
	if rec.Key, err = r.encode(topic.Key, st.Key); err != nil {
		return rec, fmt.Errorf("key: %w", err)
	}
	if rec.Value, err = r.encode(topic.Value, st.Value); err != nil {
		return rec, fmt.Errorf("value: %w", err)
	}
	for _, h := range st.Headers {
		header := record.Header{Key: *h[0]}
		if h[1] != nil {
			header.Value = []byte(*h[1])
		}
		rec.Headers = append(rec.Headers, header)
	}
	return rec, nil
}

// outputs compares what was sent because of a line.
func (r *run) outputs(st *step) error {
	var want, got []string
	for _, o := range st.Out {
		if o.Redundant {
			r.result.LeftOut++
			continue
		}
		topic, ok := r.Outputs[o.Topic]
		if !ok {
			return fmt.Errorf("%s:%d: the scenario has no output %q", r.vector.File, st.line, o.Topic)
		}
		key, err := r.canonical(topic.Key, o.Key)
		if err != nil {
			return fmt.Errorf("%s:%d: key: %w", r.vector.File, st.line, err)
		}
		value, err := r.canonical(topic.Value, o.Value)
		if err != nil {
			return fmt.Errorf("%s:%d: value: %w", r.vector.File, st.line, err)
		}
		want = append(want, show(o.Topic, key, value, o.TS, wantHeaders(o.Headers)))
	}
	for _, o := range r.driver.Sent() {
		r.result.Outputs++
		text, err := r.sent(o)
		var nothing *nothingError
		if errors.As(err, &nothing) && len(got) < len(want) && want[len(got)] == text {
			err = nil // a recorded run has it all the same: sliding windows that a record begins twice
		}
		if err != nil {
			return &mismatch{text: fmt.Sprintf("%s:%d: %v\n  %s", r.vector.File, st.line, err, st.text), always: true}
		}
		got = append(got, text)
	}
	if r.ByTopic || r.vector.Partitions > 1 {
		sortByTopic(want)
		sortByTopic(got)
	}
	if !slices.Equal(want, got) {
		return &mismatch{text: fmt.Sprintf("%s:%d: other outputs\n  %s\n%s", r.vector.File, st.line, st.text, diff(want, got))}
	}
	return nil
}

// sortByTopic leaves the records of a topic, as text, in their order.
func sortByTopic(records []string) {
	topic := func(text string) string {
		name, _, _ := strings.Cut(text, `,"key":`)
		return name
	}
	slices.SortStableFunc(records, func(a, b string) int { return strings.Compare(topic(a), topic(b)) })
}

// rowName is the row of a key in an output that is a table.
func rowName(topic, key string) string { return topic + " " + key }

// rowText is what a row is, with its time.
func rowText(value string, ts int64) string { return value + " @" + strconv.FormatInt(ts, 10) }

// nothingError says that a change of a table changes nothing.
type nothingError struct{ text string }

func (e *nothingError) Error() string { return e.text }

// sent is a record that was sent, as text. A change of a table that changes nothing is an error.
func (r *run) sent(o testdriver.Record) (string, error) {
	topic, ok := r.Outputs[o.Topic]
	if !ok {
		return "", fmt.Errorf("sent to %q, which is no output of the scenario", o.Topic)
	}
	key, err := r.decode(topic.Key, o.Key)
	if err != nil {
		return "", fmt.Errorf("%s: key: %w", o.Topic, err)
	}
	value, err := r.decode(topic.Value, o.Value)
	if err != nil {
		return "", fmt.Errorf("%s: value: %w", o.Topic, err)
	}
	var nothing error
	if topic.Table {
		name, row := rowName(o.Topic, key), rowText(value, o.Timestamp)
		before, exists := r.rows[name]
		switch {
		case value == "null" && !exists:
			return "", fmt.Errorf("%s: a delete of %s, which has no row", o.Topic, key)
		case exists && before == row:
			nothing = &nothingError{fmt.Sprintf("%s: %s changes nothing: %s", o.Topic, key, row)}
		case value == "null":
			delete(r.rows, name)
		default:
			r.rows[name] = row
		}
	}
	var headers []string
	for _, h := range o.Headers {
		value := "null"
		if h.Value != nil {
			value = quote(string(h.Value))
		}
		headers = append(headers, "["+quote(h.Key)+","+value+"]")
	}
	return show(o.Topic, key, value, o.Timestamp, headers), nothing
}

func wantHeaders(list [][2]*string) []string {
	var out []string
	for _, h := range list {
		value := "null"
		if h[1] != nil {
			value = quote(*h[1])
		}
		out = append(out, "["+quote(*h[0])+","+value+"]")
	}
	return out
}

func show(topic, key, value string, ts int64, headers []string) string {
	text := fmt.Sprintf(`{"topic":%s,"key":%s,"value":%s,"ts":%d`, quote(topic), key, value, ts)
	if len(headers) > 0 {
		text += `,"headers":[` + strings.Join(headers, ",") + "]"
	}
	return text + "}"
}

// stores compares the rows of the stores that a line names.
func (r *run) stores(st *step) error {
	var names []string
	for name := range st.Stores {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		declared, ok := r.Stores[name]
		if !ok {
			return fmt.Errorf("%s:%d: the scenario has no store %q", r.vector.File, st.line, name)
		}
		keyType, err := storeKey(declared, st.Stores[name])
		if err != nil {
			return fmt.Errorf("%s:%d: store %q: %w", r.vector.File, st.line, name, err)
		}
		var want, got []string
		asOf := map[string][]int64{} // by key: when a versioned store is asked
		times := true                // whether the store of the vector keeps times
		for _, row := range st.Stores[name] {
			key, err := r.canonical(keyType, row.Key)
			if err != nil {
				return fmt.Errorf("%s:%d: store %q: key: %w", r.vector.File, st.line, name, err)
			}
			value, err := r.canonical(declared.Value, row.Value)
			if err != nil {
				return fmt.Errorf("%s:%d: store %q: value: %w", r.vector.File, st.line, name, err)
			}
			ts := int64(0)
			if row.TS != nil {
				ts = *row.TS
			} else if len(row.Versions) == 0 { // a row whose newest version is a delete has none either
				times = false
			}
			text := showRow(key, value, ts)
			for _, v := range row.Versions {
				value, err := r.canonical(declared.Value, v.Value)
				if err != nil {
					return fmt.Errorf("%s:%d: store %q: version: %w", r.vector.File, st.line, name, err)
				}
				ts := int64(0)
				if v.TS != nil {
					ts = *v.TS
				}
				text += showVersion(v.AsOf, value, ts)
				asOf[key] = append(asOf[key], v.AsOf)
			}
			want = append(want, text)
		}
		rows, err := r.driver.Store(name)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", r.vector.File, st.line, err)
		}
		for _, row := range rows {
			key, err := r.decode(keyType, row.Key)
			if err != nil {
				return fmt.Errorf("%s:%d: store %q: key: %w", r.vector.File, st.line, name, err)
			}
			value, err := r.canonical(declared.Value, []byte(row.JSON))
			if err != nil {
				return fmt.Errorf("%s:%d: store %q: value: %w", r.vector.File, st.line, name, err)
			}
			if row.JSON == "null" && asOf[key] == nil { // deleted, and nothing is asked about what it was
				continue
			}
			if !times {
				row.Timestamp = 0
			}
			text := showRow(key, value, row.Timestamp)
			for _, at := range asOf[key] {
				if row.AsOf == nil {
					return fmt.Errorf("%s:%d: store %q has no versions", r.vector.File, st.line, name)
				}
				version, ts, err := row.AsOf(at)
				if err == nil {
					version, err = r.canonical(declared.Value, []byte(version))
				}
				if err != nil {
					return fmt.Errorf("%s:%d: store %q: version: %w", r.vector.File, st.line, name, err)
				}
				text += showVersion(at, version, ts)
			}
			got = append(got, text)
		}
		slices.Sort(want) // order has no meaning
		slices.Sort(got)
		if !slices.Equal(want, got) {
			return &mismatch{text: fmt.Sprintf("%s:%d: other rows in store %q\n%s", r.vector.File, st.line, name, diff(want, got))}
		}
	}
	return nil
}

func showVersion(at int64, value string, ts int64) string {
	return fmt.Sprintf(` as of %d %s @%d`, at, value, ts)
}

func showRow(key, value string, ts int64) string {
	return fmt.Sprintf(`{"key":%s,"value":%s,"ts":%d}`, key, value, ts)
}

// counted are the reasons for which Kafka Streams counts dropped records.
var counted = []string{"late", "null key", "null value", "invalid time", "null foreign key", "stale answer"}

// dropped compares the numbers of dropped records. Where the scenario says that null keys vanish uncounted in Kafka Streams
// (D4), ours may be more.
func (r *run) dropped() error {
	n := 0
	var list []string
	drops := map[string]int{}
	for _, d := range r.driver.Dropped() {
		drops[d.Reason] += int(d.Count)
		if slices.Contains(counted, d.Reason) {
			n += int(d.Count)
			list = append(list, fmt.Sprintf("%s %s: %d", d.Step, d.Reason, d.Count))
		}
	}
	if r.vector.Drops != nil && !maps.Equal(drops, r.vector.Drops) {
		return &mismatch{text: fmt.Sprintf("%s: records were dropped for %v, should be %v", r.vector.File, drops, r.vector.Drops)}
	}
	if r.vector.Dropped == nil {
		return nil
	}
	want := *r.vector.Dropped
	if n == want || n > want && slices.Contains(r.Differences, "D4") {
		return nil
	}
	return &mismatch{text: fmt.Sprintf("%s: %d records were dropped, should be %d (%s)", r.vector.File, n, want, strings.Join(list, ", "))}
}
