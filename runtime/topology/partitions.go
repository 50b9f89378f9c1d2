package topology

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Partitions are the partition counts of a program on a cluster.
type Partitions struct {
	Topics []int32 // by index of the topology: what a topic has, or will have when it is made
	Tasks  []int32 // by sub-topology: the number of its tasks, and of the partitions of its changelogs
}

// CoPartitionError says that records of one key would not meet: two topics that a sub-topology with state reads have
// different partition counts.
type CoPartitionError struct {
	SubTopology  string
	Topic, Other string
	Source       string // address of what reads Topic
	OtherSource  string
	Count, Than  int32
}

// Error implements error.
func (e *CoPartitionError) Error() string {
	return fmt.Sprintf("topic %q, read by %s, has %d partitions, but topic %q, read by %s, has %d: %s joins or collects records of "+
		"both by key, and equal keys lie in equal partitions only if the counts are equal; give both topics one count, or put "+
		"a repartition \"label\" {} with its partitions between one of them and %[7]s",
		e.Topic, e.Source, e.Count, e.Other, e.OtherSource, e.Than, e.SubTopology)
}

// Resolve works out all partition counts. live holds the count of each topic that exists, by name; topics that a source names
// and that are not in it count as absent. Repartition topics take their fixed count, else that of the topics they are
// read together with, else the largest of those they are like.
//
// The error, if any, is a *CoPartitionError or says which repartition topic has no count.
func (t *Topology) Resolve(live map[string]int32) (*Partitions, error) {
	r := resolver{t: t, live: live, counts: make([]int32, len(t.Topics)), busy: make([]bool, len(t.Topics))}
	p := &Partitions{Topics: r.counts}
	for i := range t.Topics {
		if r.count(uint16(i)) == 0 && t.Topics[i].Kind == Repartition {
			return nil, fmt.Errorf("topic %q takes its partition count from topics that do not exist", t.Topics[i].Name)
		}
	}
	for i := range t.SubTopologies {
		tasks, err := r.tasks(&t.SubTopologies[i])
		if err != nil {
			return nil, err
		}
		p.Tasks = append(p.Tasks, tasks)
	}
	return p, nil
}

// Matching are the topics of live that the source's pattern matches as a whole, in order of name, without Kafka's own
// and the program's.
func (t *Topology) Matching(s *Source, live map[string]int32) ([]string, error) {
	if s.Pattern == "" {
		return nil, nil
	}
	re, err := regexp.Compile("^(?:" + s.Pattern + ")$")
	if err != nil {
		return nil, fmt.Errorf("pattern of %s: %w", s.Name, err)
	}
	var names []string
	for name := range live {
		if re.MatchString(name) && !strings.HasPrefix(name, "__") && !t.internal(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// internal reports whether the program made the topic for itself.
func (t *Topology) internal(name string) bool {
	for i := range t.Topics {
		if t.Topics[i].Name == name {
			return t.Topics[i].Kind == Repartition
		}
	}
	for i := range t.SubTopologies {
		for j := range t.SubTopologies[i].Stores {
			if s := &t.SubTopologies[i].Stores[j]; s.Changelog == name && s.Row == nil {
				return true
			}
		}
	}
	return false
}

type resolver struct {
	t      *Topology
	live   map[string]int32
	counts []int32
	busy   []bool // being worked out: repartitions that are joined are like each other
}

func (r *resolver) count(i uint16) int32 {
	if r.counts[i] > 0 || r.busy[i] {
		return r.counts[i]
	}
	topic := &r.t.Topics[i]
	if topic.Kind != Repartition {
		r.counts[i] = r.live[topic.Name]
		return r.counts[i]
	}
	r.busy[i] = true
	defer func() { r.busy[i] = false }()
	n := topic.Partitions
	if n == 0 {
		n = r.neighbours(i)
	}
	if n == 0 {
		for _, like := range topic.Like {
			n = max(n, r.count(like))
		}
	}
	r.counts[i] = n
	return n
}

// neighbours is the count that the sub-topologies with state which read repartition i cannot change: that of a topic
// from outside or of a fixed repartition; without one, the largest that the repartitions read together are like.
func (r *resolver) neighbours(i uint16) int32 {
	var fixed, like int32
	for s := range r.t.SubTopologies {
		sub := &r.t.SubTopologies[s]
		if len(sub.Stores) == 0 || !reads(sub, i) {
			continue
		}
		for _, source := range sub.Sources {
			for _, j := range source.Topics {
				topic := &r.t.Topics[j]
				switch {
				case topic.Kind != Repartition:
					fixed = max(fixed, r.count(j))
				case topic.Partitions > 0:
					fixed = max(fixed, topic.Partitions)
				default:
					for _, l := range topic.Like {
						like = max(like, r.count(l))
					}
				}
			}
		}
	}
	if fixed > 0 {
		return fixed
	}
	return like
}

func reads(sub *SubTopology, topic uint16) bool {
	return slices.ContainsFunc(sub.Sources, func(s Source) bool { return slices.Contains(s.Topics, topic) })
}

// tasks checks that the topics of a sub-topology with stores have one count, and returns the largest.
func (r *resolver) tasks(sub *SubTopology) (int32, error) {
	var tasks int32
	var first CoPartitionError // of the first topic seen: Topic, Source, Count
	for i := range sub.Sources {
		source := &sub.Sources[i]
		matched, err := r.t.Matching(source, r.live)
		if err != nil {
			return 0, err
		}
		see := func(topic string, n int32) error {
			if n == 0 {
				return nil
			}
			tasks = max(tasks, n)
			if first.Topic == "" {
				first = CoPartitionError{SubTopology: sub.Name, Topic: topic, Source: source.Name, Count: n}
			}
			if n != first.Count && len(sub.Stores) > 0 {
				first.Other, first.OtherSource, first.Than = topic, source.Name, n
				return &first
			}
			return nil
		}
		for _, j := range source.Topics {
			if err := see(r.t.Topics[j].Name, r.count(j)); err != nil {
				return 0, err
			}
		}
		for _, name := range matched {
			if err := see(name, r.live[name]); err != nil {
				return 0, err
			}
		}
	}
	return tasks, nil
}
