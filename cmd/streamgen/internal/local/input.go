package local

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamgen/streamgen/codegen/plan"
)

// Input is a file with records for a topic: one JSON object a line, {"key":…,"ts":…,"value":…,"headers":…}, perhaps gzipped.
type Input struct{ Topic, File string }

// ParseInput reads the value of a flag: topic=file, or a directory, which stands for all its files <topic>.jsonl[.gz].
func ParseInput(s string) ([]Input, error) {
	if topic, file, ok := strings.Cut(s, "="); ok {
		if topic == "" || file == "" {
			return nil, fmt.Errorf("an input is topic=file or a directory, not %q", s)
		}
		return []Input{{topic, file}}, nil
	}
	entries, err := os.ReadDir(s)
	if err != nil {
		return nil, fmt.Errorf("an input is topic=file or a directory: %w", err)
	}
	var inputs []Input
	for _, e := range entries {
		if topic, ok := strings.CutSuffix(strings.TrimSuffix(e.Name(), ".gz"), ".jsonl"); ok && !e.IsDir() && topic != "" {
			inputs = append(inputs, Input{topic, filepath.Join(s, e.Name())})
		}
	}
	if len(inputs) == 0 {
		return nil, fmt.Errorf("there is no file <topic>.jsonl or <topic>.jsonl.gz in %s", s)
	}
	return inputs, nil
}

// reader reads the records of an input.
type reader struct {
	Input
	topic *plan.Topic
	file  *os.File
	lines *bufio.Reader
	line  int
	next  *kgo.Record // nil at the end
}

// open opens an input and reads its first record.
func (in Input) open(topic *plan.Topic) (*reader, error) {
	f, err := os.Open(in.File)
	if err != nil {
		return nil, err
	}
	r := &reader{Input: in, topic: topic, file: f}
	var text io.Reader = f
	if strings.HasSuffix(in.File, ".gz") {
		if text, err = gzip.NewReader(f); err != nil {
			f.Close()
			return nil, fmt.Errorf("%s: %w", in.File, err)
		}
	}
	r.lines = bufio.NewReaderSize(text, 1<<16)
	if err := r.advance(); err != nil {
		f.Close()
		return nil, err
	}
	return r, nil
}

// advance reads the next record, past blank lines.
func (r *reader) advance() error {
	for {
		line, err := r.lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("%s: %w", r.File, err)
		}
		r.line++
		if line = bytes.TrimSpace(line); len(line) > 0 {
			record, err := r.record(line)
			if err != nil {
				return fmt.Errorf("%s:%d: %w", filepath.ToSlash(r.File), r.line, err)
			}
			r.next = record
			return nil
		}
		if err != nil {
			r.next = nil
			return nil
		}
	}
}

func (r *reader) record(line []byte) (*kgo.Record, error) {
	var in struct {
		Key, Value json.RawMessage
		TS         *int64
		Headers    headers
		Partition  *int32
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something stands behind the record: one record a line")
	}
	out := &kgo.Record{Topic: r.Topic, Headers: in.Headers}
	var err error
	if out.Key, err = encode(r.topic.Key, in.Key); err != nil {
		return nil, fmt.Errorf("key: %w", err)
	}
	if out.Value, err = encode(r.topic.Value, in.Value); err != nil {
		return nil, fmt.Errorf("value: %w", err)
	}
	if in.TS != nil {
		out.Timestamp = milliseconds(*in.TS)
	}
	if in.Partition != nil {
		out.Partition = *in.Partition
	} else {
		out.Partition = -1
	}
	return out, nil
}

func (r *reader) close() { r.file.Close() }

// headers are written as [["name", "text"], …] or as {"name": "text", …}.
type headers []kgo.RecordHeader

func (h *headers) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	var pairs [][2]string
	if err := json.Unmarshal(b, &pairs); err == nil {
		for _, p := range pairs {
			*h = append(*h, kgo.RecordHeader{Key: p[0], Value: []byte(p[1])})
		}
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(b))
	bad := errors.New(`headers are [["name","text"]] or {"name":"text"}`)
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return bad
	}
	for d.More() { // in the order written
		key, err := d.Token()
		if err != nil {
			return bad
		}
		var value string
		if err := d.Decode(&value); err != nil {
			return bad
		}
		*h = append(*h, kgo.RecordHeader{Key: key.(string), Value: []byte(value)})
	}
	return nil
}

// matches tells whether a topic is one of a pattern, which is over the whole name.
func matches(pattern, topic string) bool {
	re, err := regexp.Compile(`^(?:` + pattern + `)$`)
	return err == nil && re.MatchString(topic)
}
