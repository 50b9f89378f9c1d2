package kafka

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/topology"
	"github.com/streamgen/streamgen/runtime/window"
)

// Report is what Verify has found to be as it should be.
type Report struct {
	Samples  []Sample
	Warnings []string
}

// Sample is how many records of a topic were looked at, all of which lie where the partitioner puts them.
type Sample struct {
	Topic       string
	Partitions  int32
	Records     int // with a key
	Partitioner string
}

const (
	sampled    = 1000             // records of a partition that are looked at: the last ones
	sampleTime = 30 * time.Second // for what was written meanwhile to be deleted, or compacted, too
)

// Verify checks what Prepare checks, and makes nothing. Beyond that it looks at the latest records of each topic whose records meet others by
// their keys: a writer that chooses partitions in another way than the spec says leaves the number of partitions as it is, and
// records that nobody finds. Errors are those of Prepare.
func Verify(ctx context.Context, options []kgo.Opt, t *topology.Topology, log *slog.Logger) (*Report, error) {
	p, done, err := newPreparer(options, t, log)
	if err != nil {
		return nil, err
	}
	defer done()
	r := &Report{}
	sample := func(ctx context.Context) (err error) {
		r.Samples, err = p.sample(ctx, options)
		return err
	}
	err = p.run(ctx, p.find, p.counts, p.existing, p.configs, sample)
	r.Warnings = p.out.Warnings
	return r, err
}

// existing leaves of the internal topics those that are there, and checks their partition counts.
func (p *preparer) existing(context.Context) error {
	p.internal = slices.DeleteFunc(p.internal, func(it internalTopic) bool { return p.live[it.name] == 0 })
	for _, it := range p.internal {
		p.checkCount(it, p.live[it.name])
	}
	for i := range p.t.Topics {
		p.out.Topics[i] = p.live[p.t.Topics[i].Name]
	}
	return nil
}

// sampler looks at the records of one topic as one source reads them.
type sampler struct {
	Sample
	source  *topology.Source
	key     string               // format
	found   map[string]int32     // partition by key, of a topic of which no more is known
	wrong   int                  // records that lie elsewhere
	example string               // of them
	like    []int                // by partitioner: how many records lie where it puts them
	left    map[int32]int64      // by partition: the last offset to look at
	begins  map[int32]kgo.Offset // by partition
}

// sample reads the ends of topics that sub-topologies with state read from outside.
func (p *preparer) sample(ctx context.Context, options []kgo.Opt) ([]Sample, error) {
	list, err := p.samplers(ctx)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	byTopic, begins := map[string][]*sampler{}, map[string]map[int32]kgo.Offset{}
	for _, s := range list {
		byTopic[s.Topic] = append(byTopic[s.Topic], s)
		begins[s.Topic] = s.begins
	}
	client, err := kgo.NewClient(append(slices.Clone(options), kgo.ConsumePartitions(begins), kgo.KeepControlRecords())...)
	if err != nil {
		return nil, &OptionError{err}
	}
	defer client.Close()
	limited, cancel := context.WithTimeout(ctx, sampleTime)
	defer cancel()
	waits := func(s *sampler) bool { return len(s.left) > 0 }
	for slices.ContainsFunc(list, waits) && limited.Err() == nil {
		fetches := client.PollFetches(limited)
		for _, e := range fetches.Errors() {
			if limited.Err() == nil {
				return nil, fmt.Errorf("reading topic %q: %w", e.Topic, e.Err)
			}
		}
		fetches.EachRecord(func(r *kgo.Record) {
			for _, s := range byTopic[r.Topic] {
				s.look(r)
			}
		})
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return p.judge(list), nil
}

// judge says what was found.
func (p *preparer) judge(list []*sampler) (samples []Sample) {
	for _, s := range list {
		if s.wrong > 0 {
			p.misplaced(s)
		}
		if len(s.left) > 0 {
			p.warn("topic %q: the ends of %d of %d partitions were not reached within %s, %d records were looked at", s.Topic, len(s.left), s.Partitions, sampleTime, s.Records)
		}
		samples = append(samples, s.Sample)
	}
	return samples
}

// samplers are the topics to look at, and where in them to begin.
func (p *preparer) samplers(ctx context.Context) (list []*sampler, err error) {
	for i := range p.t.SubTopologies {
		sub := &p.t.SubTopologies[i]
		if len(sub.Stores) == 0 {
			continue
		}
		for j := range sub.Sources {
			source := &sub.Sources[j]
			names, err := p.t.Matching(source, p.live)
			if err != nil {
				return nil, err
			}
			key := ""
			for _, topic := range source.Topics {
				if t := &p.t.Topics[topic]; t.Kind == topology.Input {
					names, key = append(names, t.Name), t.Key
				}
			}
			for _, name := range names {
				list = append(list, newSampler(source, name, key, p.live[name]))
			}
		}
	}
	for _, s := range list {
		starts, err := p.admin.ListStartOffsets(ctx, s.Topic)
		if err != nil {
			return nil, fmt.Errorf("asking where topic %q begins: %w", s.Topic, err)
		}
		ends, err := p.admin.ListEndOffsets(ctx, s.Topic)
		if err != nil {
			return nil, fmt.Errorf("asking where topic %q ends: %w", s.Topic, err)
		}
		s.between(starts, ends)
	}
	return list, nil
}

func newSampler(source *topology.Source, topic, key string, partitions int32) *sampler {
	s := &sampler{source: source, key: key, like: make([]int, len(record.Partitioners)), left: map[int32]int64{}, begins: map[int32]kgo.Offset{}}
	s.Sample = Sample{Topic: topic, Partitions: partitions, Partitioner: source.Partitioner}
	if s.Partitioner == "" {
		s.Partitioner = record.Partitioners[0].Name
	}
	s.found = map[string]int32{}
	return s
}

// between lets the last records of each partition be looked at.
func (s *sampler) between(starts, ends kadm.ListedOffsets) {
	ends.Each(func(end kadm.ListedOffset) {
		start, ok := starts.Lookup(end.Topic, end.Partition)
		if end.Err != nil || !ok || start.Err != nil || start.Offset >= end.Offset {
			return
		}
		s.left[end.Partition] = end.Offset - 1
		s.begins[end.Partition] = kgo.NewOffset().At(max(start.Offset, end.Offset-sampled))
	})
}

// look takes a record in.
func (s *sampler) look(r *kgo.Record) {
	last, waits := s.left[r.Partition]
	if !waits {
		return
	}
	if r.Offset >= last {
		delete(s.left, r.Partition)
	}
	if r.Offset > last || r.Attrs.IsControl() || r.Key == nil {
		return
	}
	s.Records++
	key := s.located(r.Key)
	want, known := s.found[string(key)]
	if !known {
		want = r.Partition
		s.found[string(key)] = want
	}
	for i, p := range record.Partitioners {
		in := p.Of(key, s.Partitions)
		if in == r.Partition {
			s.like[i]++
		}
		if p.Name == s.Partitioner {
			want = in
		}
	}
	if want == r.Partition {
		return
	}
	if s.wrong++; s.wrong == 1 {
		s.example = fmt.Sprintf("the one of key %q at offset %d lies in partition %d, not in %d", key, r.Offset, r.Partition, want)
	}
}

// located is the part of a key by which its record is located: a key with a window lies where the one within does.
func (s *sampler) located(key []byte) []byte {
	if !strings.Contains(s.key, "windowed(") {
		return key
	}
	split := func(b []byte) (inner []byte, ok bool) { inner, _, ok = window.SplitKey(b); return inner, ok }
	if strings.Contains(s.key, `kind = "session"`) {
		split = func(b []byte) (inner []byte, ok bool) { inner, _, _, ok = window.SplitSessionKey(b); return inner, ok }
	}
	if inner, ok := split(key); ok {
		return inner
	}
	return key
}

// misplaced says which records lie elsewhere, and what they look like.
func (p *preparer) misplaced(s *sampler) {
	fix := `let its writers use that one, or put repartition "label" {} behind the source`
	for i, other := range record.Partitioners {
		if s.like[i] == s.Records {
			fix = fmt.Sprintf(`all lie where %s puts them: write partitioner = %q in the source, let its writers use %s, or put repartition "label" {} behind the source`,
				other.Name, other.Name, s.Partitioner)
		}
	}
	where := "the partition that " + s.Partitioner + " gives their keys"
	if s.Partitioner == manual {
		where = "one partition with others of their keys"
	}
	p.problem("topic %q, read by %s%s: %d of %d records that were looked at do not lie in %s: %s. Records are joined and collected by key where equal "+
		"keys lie in equal partitions, so these would not be found; %s", s.Topic, s.source.Name, p.at(s.source), s.wrong, s.Records, where, s.example, fix)
}

// manual is a way to choose partitions of which nothing is known but that equal keys get one.
const manual = "manual"
