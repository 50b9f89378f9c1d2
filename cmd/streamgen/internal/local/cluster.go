package local

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamgen/streamgen/codegen/plan"
)

// cluster is the Kafka that the program runs against.
type cluster struct {
	brokers  []string
	embedded *kfake.Cluster // nil: brokers that were named
	client   *kgo.Client    // writes the input
	admin    *kadm.Client
}

// connect starts a broker in this process on a free local port, or goes to those that are named.
func connect(brokers []string) (*cluster, error) {
	c := &cluster{brokers: brokers}
	if len(brokers) == 0 {
		fake, err := kfake.NewCluster(kfake.NumBrokers(1))
		if err != nil {
			return nil, fmt.Errorf("cannot start the embedded broker: %w", err)
		}
		c.embedded, c.brokers = fake, fake.ListenAddrs()
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(c.brokers...), kgo.RecordPartitioner(partitioner()))
	if err != nil {
		c.close()
		return nil, err
	}
	c.client, c.admin = client, kadm.NewClient(client)
	return c, nil
}

func (c *cluster) close() {
	if c.client != nil {
		c.client.Close()
	}
	if c.embedded != nil {
		c.embedded.Close()
	}
}

// createTopics makes the input and output topics of a program on the embedded broker. Others have theirs. Topics of tables are
// compacted, as those of a table should be.
func (c *cluster) createTopics(ctx context.Context, p *plan.Plan, inputs []Input, partitions int32) error {
	if c.embedded == nil {
		return nil
	}
	made := map[string]bool{}
	create := func(name string, config map[string]*string) error {
		if made[name] {
			return nil
		}
		made[name] = true
		if _, err := c.admin.CreateTopic(ctx, partitions, 1, config, name); err != nil {
			return fmt.Errorf("cannot create the topic %s: %w", name, err)
		}
		return nil
	}
	compact := map[string]*string{"cleanup.policy": kadm.StringPtr("compact")}
	for _, s := range p.Parts() {
		for _, src := range s.Sources {
			for _, t := range src.Topics {
				if src.Table && t.Kind != plan.Repartition {
					if err := create(t.Name, compact); err != nil {
						return err
					}
				}
			}
		}
	}
	for _, t := range p.Topics {
		if t.Kind != plan.Repartition {
			if err := create(t.Name, nil); err != nil {
				return err
			}
		}
	}
	for _, in := range inputs { // topics of a pattern
		if err := create(in.Topic, nil); err != nil {
			return err
		}
	}
	return nil
}
