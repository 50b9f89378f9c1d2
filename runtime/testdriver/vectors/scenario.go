// Package vectors holds a topology against recorded runs: inputs, and what came out of them at each step.
//
// A scenario is a directory with scenario.json (types of topics and stores, list of vectors) and a file of JSON lines for each
// vector; files may be gzipped (.gz), or all of them lie in one vectors.zip. The lines of a vector are
//
//	{"in":"orders","key":"a","value":{…},"ts":123,"headers":[["h","x"]],"out":[{"topic":"out","key":"a","value":5,"ts":123}]}
//	{"advance_wall_clock_ms":1000,"out":[…]}
//	{"stores":{"counts":[{"key":"a","value":5,"ts":123}]}}
//
// What a record must give has to be there, exactly, before the next line: topics, keys, values, timestamps, headers and
// their order; at the end the rows of the stores. Values are compared by their types, numbers as numbers. Outputs marked
// "redundant" change nothing and must not be sent. Vectors named ks-only-… show what Kafka Streams does where the engine
// differs on purpose; they are run, and held only to the rules that hold everywhere.
//
// It drives testdriver. `streamgen test --vectors` links it with generated packages into one binary.
package vectors

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// Scenario is what scenario.json says.
type Scenario struct {
	Name        string            `json:"name"`
	About       string            `json:"about"`
	Types       map[string]Record `json:"types"`
	Inputs      map[string]Topic  `json:"inputs"`
	Outputs     map[string]Topic  `json:"outputs"`
	Stores      map[string]Topic  `json:"stores"`
	Differences []string          `json:"differences"`
	ByTopic     bool              `json:"by_topic"` // the outputs of a line are in order within a topic only
	Commits     string            `json:"commits"`  // what commits at other times leave as it is: one of the constants below; "": they are not tried
	Vectors     []Vector          `json:"vectors"`

	files fs.FS
}

// What commits at other times than after each record leave as it is; else the rows at the end, of stores and of outputs that are tables.
const (
	commitsOutputs = "outputs" // all that is sent, too
	commitsTables  = "tables"  // nothing else is compared at all: the vectors are of a program that sends more changes
)

// Record is a record type: an object with the fields in this order.
type Record struct {
	Fields []Field `json:"fields"`
}

// Field is a field of a Record.
type Field struct {
	Name     string `json:"name"`
	Type     string `json:"type"` // string, bool, int32, int64, float32, float64, decimal, list(T), map(T), or another record type
	Optional bool   `json:"optional"`
}

// Topic is the types of a topic or store.
type Topic struct {
	Key   Type   `json:"key"`
	Value Type   `json:"value"`
	Table bool   `json:"table"` // an output that is the changes of a table
	Kind  string `json:"kind"`  // of a store: rows of a window or session store have windowed keys
}

// Type is a primitive type, a record type of the scenario, or a windowed key.
type Type struct {
	Name       string
	Windowed   string `json:"windowed"` // "time", "sliding" or "session"; then the others
	Inner      string `json:"inner"`
	Size       int64  `json:"size_ms"`
	Difference int64  `json:"difference_ms"`
}

// UnmarshalJSON implements json.Unmarshaler: a name, or the object of a windowed key.
func (t *Type) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &t.Name)
	}
	type plain Type
	return json.Unmarshal(b, (*plain)(t))
}

// Vector is one recorded run.
type Vector struct {
	File    string         `json:"file"`
	About   string         `json:"about"`
	Dropped *int           `json:"dropped"` // records dropped for their time, null key or null value; nil: not recorded
	Drops   map[string]int `json:"drops"`   // records dropped, by reason; nil: not recorded

	Partitions int32 `json:"partitions"` // of each topic; 0: one. With several, outputs are in order within a topic only
}

// ForeignOnly tells that the vector shows what Kafka Streams does, not what is right.
func (v *Vector) ForeignOnly() bool { return strings.HasPrefix(v.File, "ks-only-") }

// Open reads the scenario in a directory.
func Open(dir fs.FS) (*Scenario, error) {
	if b, err := fs.ReadFile(dir, "vectors.zip"); err == nil {
		z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return nil, fmt.Errorf("vectors.zip: %w", err)
		}
		dir = z
	}
	b, err := read(dir, "scenario.json")
	if err != nil {
		return nil, err
	}
	s := &Scenario{files: dir}
	if err := json.Unmarshal(b, s); err != nil {
		return nil, fmt.Errorf("scenario.json: %w", err)
	}
	return s, nil
}

// read reads a file, or the file with .gz behind its name.
func read(dir fs.FS, name string) ([]byte, error) {
	b, err := fs.ReadFile(dir, name)
	if !errors.Is(err, fs.ErrNotExist) {
		return b, err
	}
	packed, zerr := fs.ReadFile(dir, name+".gz")
	if zerr != nil {
		return nil, err
	}
	z, zerr := gzip.NewReader(bytes.NewReader(packed))
	if zerr != nil {
		return nil, fmt.Errorf("%s.gz: %w", name, zerr)
	}
	return io.ReadAll(z)
}

// step is a line of a vector.
type step struct {
	In      string              `json:"in"`
	Key     json.RawMessage     `json:"key"`
	Value   json.RawMessage     `json:"value"`
	TS      int64               `json:"ts"`
	Headers [][2]*string        `json:"headers"`
	Advance *int64              `json:"advance_wall_clock_ms"`
	Out     []output            `json:"out"`
	Error   string              `json:"error"`
	Stores  map[string][]rowOut `json:"stores"`

	line int
	text string
}

type output struct {
	Topic     string          `json:"topic"`
	Key       json.RawMessage `json:"key"`
	Value     json.RawMessage `json:"value"`
	TS        int64           `json:"ts"`
	Headers   [][2]*string    `json:"headers"`
	Redundant bool            `json:"redundant"`
}

type rowOut struct {
	Key   json.RawMessage `json:"key"`
	Value json.RawMessage `json:"value"`
	TS    *int64          `json:"ts"`

	Versions []rowVersion `json:"versions"` // of a versioned store: what it answers
}

// steps reads a vector.
func (s *Scenario) steps(file string) ([]step, error) {
	b, err := read(s.files, file)
	if err != nil {
		return nil, err
	}
	var steps []step
	n := 0
	for line := range bytes.Lines(b) {
		n++
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		st := step{line: n, text: string(line)}
		if err := json.Unmarshal(line, &st); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		}
		steps = append(steps, st)
	}
	return steps, nil
}

// rowVersion is what a versioned store answers as of a time.
type rowVersion struct {
	AsOf  int64           `json:"as_of"`
	Value json.RawMessage `json:"value"` // null: no row
	TS    *int64          `json:"ts"`
}
