package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/streamgen/streamgen/runtime/task"
	"github.com/streamgen/streamgen/runtime/topology"
)

// taskID is a task: a sub-topology, by index, and a partition.
type taskID struct {
	sub       int
	partition int32
}

func (a taskID) compare(b taskID) int {
	return cmp.Or(cmp.Compare(a.sub, b.sub), cmp.Compare(a.partition, b.partition))
}

// catalog is the topology as it lies on the cluster: which topic belongs to which source, and how many partitions there are.
// It does not change while the process runs.
type catalog struct {
	topology   *topology.Topology
	partitions *topology.Partitions
	live       map[string]int32    // partition count of every topic of the cluster, by name
	ids        map[string][16]byte // topic ids
	inputs     []inputTopic        // by name
	consume    []string            // names of inputs
}

// inputTopic is a topic that a sub-topology reads.
type inputTopic struct {
	name   string
	sub    int
	source uint8
	index  int // of the topology; -1: by pattern
	count  int32
}

// loadCatalog reads the cluster's topics.
func loadCatalog(ctx context.Context, client *kgo.Client, t *topology.Topology) (*catalog, error) {
	req := kmsg.NewPtrMetadataRequest()
	req.Topics = nil // all
	resp, err := req.RequestWith(ctx, client)
	if err != nil {
		return nil, fmt.Errorf("list topics: %w", err)
	}
	c := &catalog{topology: t, live: map[string]int32{}, ids: map[string][16]byte{}}
	for _, m := range resp.Topics {
		if m.Topic == nil || kerr.ErrorForCode(m.ErrorCode) != nil {
			continue
		}
		c.live[*m.Topic] = int32(len(m.Partitions))
		c.ids[*m.Topic] = m.TopicID
	}
	if c.partitions, err = t.Resolve(c.live); err != nil {
		return nil, err
	}
	for i := range t.SubTopologies {
		s := &t.SubTopologies[i]
		for j := range s.Sources {
			if err := c.addSource(i, uint8(j), &s.Sources[j]); err != nil {
				return nil, err
			}
		}
		for j := range s.Stores {
			if n := c.live[s.Stores[j].Changelog]; n < c.partitions.Tasks[i] {
				return nil, fmt.Errorf("store %q: changelog topic %q has %d partitions, its tasks need %d",
					s.Stores[j].Name, s.Stores[j].Changelog, n, c.partitions.Tasks[i])
			}
		}
	}
	slices.SortFunc(c.inputs, func(a, b inputTopic) int { return cmp.Compare(a.name, b.name) })
	for i, in := range c.inputs {
		if i > 0 && c.inputs[i-1].name == in.name {
			return nil, fmt.Errorf("topic %q is read by two sources, %s and %s: a group has one position in a partition", in.name,
				c.source(c.inputs[i-1]).Name, c.source(in).Name)
		}
		c.consume = append(c.consume, in.name)
	}
	return c, nil
}

func (c *catalog) addSource(sub int, source uint8, s *topology.Source) error {
	for _, i := range s.Topics {
		name := c.topology.Topics[i].Name
		n, ok := c.live[name]
		if !ok {
			return fmt.Errorf("%s: topic %q does not exist", s.Name, name)
		}
		c.inputs = append(c.inputs, inputTopic{name, sub, source, int(i), n})
	}
	matching, err := c.topology.Matching(s, c.live)
	if err != nil {
		return err
	}
	for _, name := range matching {
		c.inputs = append(c.inputs, inputTopic{name, sub, source, -1, c.live[name]})
	}
	return nil
}

func (c *catalog) source(in inputTopic) *topology.Source {
	return &c.topology.SubTopologies[in.sub].Sources[in.source]
}

// fed says that the program itself writes the topic.
func (c *catalog) fed(in inputTopic) bool {
	return in.index >= 0 && c.topology.Topics[in.index].Kind == topology.Repartition
}

// reader is the input that topic is.
func (c *catalog) reader(topic string) (inputTopic, bool) {
	i, ok := slices.BinarySearchFunc(c.inputs, topic, func(in inputTopic, name string) int { return cmp.Compare(in.name, name) })
	if !ok {
		return inputTopic{}, false
	}
	return c.inputs[i], true
}

// inputsOf are the topics that a task reads, by source, then by name.
func (c *catalog) inputsOf(id taskID) []inputTopic {
	var list []inputTopic
	for _, in := range c.inputs {
		if in.sub == id.sub && id.partition < in.count {
			list = append(list, in)
		}
	}
	slices.SortStableFunc(list, func(a, b inputTopic) int { return cmp.Compare(a.source, b.source) })
	return list
}

// name is how a task is called in logs, and its directory.
func (c *catalog) name(id taskID) string {
	return fmt.Sprintf("%s-%d", c.topology.SubTopologies[id.sub].Name, id.partition)
}

// stores are those of a task.
func (c *catalog) stores(t *task.Task) []topology.Store {
	for i := range c.topology.SubTopologies {
		if s := &c.topology.SubTopologies[i]; s.Name == t.SubTopology {
			return s.Stores
		}
	}
	return nil
}
