package oracle_test

import (
	"fmt"
	"time"

	"github.com/streamgen/streamgen/codegen/oracle"
	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/testdriver"
	"github.com/streamgen/streamgen/runtime/testdriver/vectors"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// subject lets vectors play with an oracle: what a driver takes and gives as bytes is JSON there.
type subject struct {
	*oracle.Oracle
	formats map[string][2]string // of topics: key and value
	keys    map[string]string    // of stores
	waiting []oracle.Record
}

var _ vectors.Subject = (*subject)(nil)

func begin(p *model.Program) (vectors.Subject, error) {
	o, err := oracle.New(p)
	if err != nil {
		return nil, err
	}
	s := &subject{Oracle: o, formats: map[string][2]string{}, keys: map[string]string{}}
	for _, b := range p.Blocks {
		if b.Source != nil {
			for _, t := range b.Source.Topics {
				s.formats[t] = [2]string{b.Source.Key.String(), b.Source.Value.String()}
			}
		}
		if b.Kind != model.Table {
			continue
		}
		name := b.Label
		for _, step := range b.Steps {
			if st, ok := step.(*model.Store); ok {
				name = st.Label
			}
		}
		s.keys[name], _ = types.NaturalFormat(types.NonNull(b.Out.Key))
		if w, ok := types.WindowedOf(b.Out.Key); ok {
			s.keys[name] = w.String()
		}
	}
	for _, sink := range p.Sinks {
		for _, t := range append(sink.Topics, sink.Topic) {
			s.formats[t] = [2]string{sink.Key.String(), sink.Value.String()}
		}
	}
	return s, nil
}

func (s *subject) Pipe(topic string, records ...testdriver.Record) error {
	f, ok := s.formats[topic]
	if !ok {
		return fmt.Errorf("there is no topic %q", topic)
	}
	for _, r := range records {
		in := oracle.Record{Topic: topic, Timestamp: r.Timestamp}
		var err error
		if in.Key, err = testdriver.Decode(f[0], r.Key); err != nil {
			return err
		}
		if in.Value, err = testdriver.Decode(f[1], r.Value); err != nil {
			return err
		}
		for _, h := range r.Headers {
			in.Headers = append(in.Headers, oracle.Header{Key: h.Key, Value: h.Value})
		}
		s.waiting = append(s.waiting, in)
	}
	return nil
}

func (s *subject) Run() error {
	for _, r := range s.waiting {
		if err := s.Feed(r); err != nil {
			return err
		}
	}
	s.waiting = nil
	return nil
}

func (s *subject) Sent() (list []testdriver.Record) {
	for _, r := range s.Oracle.Sent() {
		f := s.formats[r.Topic]
		key, err := testdriver.Encode(f[0], r.Key)
		value, err2 := testdriver.Encode(f[1], r.Value)
		if err != nil || err2 != nil {
			panic(fmt.Sprint(r.Topic, err, err2))
		}
		out := testdriver.Record{Topic: r.Topic, Key: key, Value: value, Timestamp: r.Timestamp}
		for _, h := range r.Headers {
			out.Headers = append(out.Headers, record.Header{Key: h.Key, Value: h.Value})
		}
		list = append(list, out)
	}
	return list
}

func (s *subject) Dropped() (list []testdriver.Drop) {
	for reason, n := range s.Oracle.Dropped() {
		list = append(list, testdriver.Drop{Reason: reason, Count: uint64(n)})
	}
	return list
}

func (s *subject) Store(name string) (list []testdriver.Row, err error) {
	rows, err := s.Table(name)
	for _, r := range rows {
		key, err := testdriver.Encode(s.keys[name], r.Key)
		if err != nil {
			return nil, err
		}
		row := testdriver.Row{Key: key, JSON: string(r.Value), Timestamp: r.Timestamp}
		if r.AsOf != nil {
			row.AsOf = func(timestamp int64) (string, int64, error) {
				value, at := r.AsOf(timestamp)
				return string(value), at, nil
			}
		}
		list = append(list, row)
	}
	return list, err
}

func (s *subject) Advance(time.Duration) {}
func (s *subject) Close()                {}
