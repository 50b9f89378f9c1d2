// Package sample is a topology for tests of the runtime, written by hand as the compiler would: tests of the runtime need no
// compiler.
package sample

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/state"
	"github.com/streamgen/streamgen/runtime/task"
	"github.com/streamgen/streamgen/runtime/topology"
)

// Counts is a topology by hand. Records of "in" are keyed by their value and counted behind a repartition; each
// change goes to "out", with the name that the table "names" has for the key. The value "poison" is bad input. limit takes the value of
// the runtime variable "limit".
func Counts(limit *string) *topology.Topology {
	const in, names, repartition, out = 0, 1, 2, 3
	return &topology.Topology{
		App:            "counts",
		Guarantee:      topology.ExactlyOnce,
		CommitInterval: 20 * time.Millisecond,
		Topics: []topology.Topic{
			in:          {Name: "in", Kind: topology.Input, Key: "optional(bytes)", Value: "optional(string)"},
			names:       {Name: "names", Kind: topology.Input, Key: "string", Value: "string"},
			repartition: {Name: "counts-repartition", Kind: topology.Repartition, Key: "string", Value: "string", Like: []uint16{in}},
			out:         {Name: "out", Kind: topology.Output, Key: "string", Value: "json(Count)"},
		},
		SubTopologies: []topology.SubTopology{
			{Name: "rekey", Sources: []topology.Source{{Name: "stream.in", Topics: []uint16{in}, Start: topology.Earliest}},
				New: func(t *task.Task) (task.SubTopology, error) {
					return &rekey{t.Topic(repartition), t.Counter("null value", 0), t}, nil
				}},
			{Name: "counts", Sources: []topology.Source{{Name: "table.counts", Topics: []uint16{repartition}, Start: topology.Earliest}, {Name: "table.names", Topics: []uint16{names}, Table: true, Start: topology.Earliest}},
				Stores: []topology.Store{
					{Name: "counts", ID: 1, Changelog: "counts-changelog", Fingerprint: "int64", JSON: func(dst, row []byte) ([]byte, error) {
						return strconv.AppendUint(dst, binary.BigEndian.Uint64(row), 10), nil
					}},
					{Name: "names", ID: 2, Changelog: "names-changelog", Fingerprint: "string", JSON: func(dst, row []byte) ([]byte, error) {
						return append(dst, row...), nil
					}},
				},
				New: func(t *task.Task) (task.SubTopology, error) {
					return &counter{
						counts: state.NewKeyValue(t.Stores, 1, state.Codec[int64]{
							Append: func(dst []byte, v *int64) []byte { return binary.BigEndian.AppendUint64(dst, uint64(*v)) },
							Read:   func(src []byte, v *int64) error { *v = int64(binary.BigEndian.Uint64(src)); return nil },
						}),
						names: state.NewKeyValue(t.Stores, 2, state.Codec[string]{
							Append: func(dst []byte, v *string) []byte { return append(dst, *v...) },
							Read:   func(src []byte, v *string) error { *v = string(src); return nil },
						}),
						out: t.Topic(out),
					}, nil
				}},
		},
		Positions: []task.Position{{Address: "stream.in", File: "app.hcl", Line: 3, Column: 1}},
		Variables: []topology.Variable{{Name: "limit", Type: "string", Default: "none", HasDefault: true, Set: func(s string) error { *limit = s; return nil }}},
	}
}

type rekey struct {
	to   record.Topic
	null *task.Counter
	task *task.Task
}

func (s *rekey) Flush() error { return nil }

func (s *rekey) Process(b *record.Batch) error {
	for i := range b.Records {
		r := &b.Records[i]
		if r.Value == nil {
			s.null.Inc()
			continue
		}
		if string(r.Value) == "poison" {
			if err := s.task.Reject(r, 0, task.BadInput, errors.New("is poison")); err != nil {
				return err
			}
			continue
		}
		s.to.Send(r.Value, r.Value, r.Timestamp, r.Headers)
	}
	return nil
}

type counter struct {
	counts *state.KeyValue[int64]
	names  *state.KeyValue[string]
	out    record.Topic
}

func (s *counter) Flush() error { return nil }

func (s *counter) Process(b *record.Batch) error {
	for i := range b.Records {
		r := &b.Records[i]
		if r.Source == 1 {
			row, _, err := s.names.Update(r.Key)
			if err != nil {
				return err
			}
			row.Value, row.Timestamp = string(r.Value), r.Timestamp
			continue
		}
		row, _, err := s.counts.Update(r.Key)
		if err != nil {
			return err
		}
		row.Value++
		row.Timestamp = max(row.Timestamp, r.Timestamp)
		name, err := s.names.Get(r.Key)
		if err != nil {
			return err
		}
		value := fmt.Appendf(s.out.Tail(), `{"n":%d,"name":`, row.Value)
		if name == nil {
			value = append(value, "null}"...)
		} else {
			value = fmt.Appendf(value, "%q}", name.Value)
		}
		s.out.Send(r.Key, s.out.Keep(value), row.Timestamp, r.Headers)
	}
	return nil
}
