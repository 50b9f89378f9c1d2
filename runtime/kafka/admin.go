package kafka

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/streamgen/streamgen/runtime/topology"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Topics is what Prepare found out about the live topics of a program.
type Topics struct {
	*topology.Partitions

	// MaxMessageBytes is the largest batch that each topic of the program takes, its changelogs included.
	MaxMessageBytes map[string]int32

	// DeleteRetention is how long deletes are sure to be found in the changelogs and the compacted topics of global tables: the
	// least delete.retention.ms.
	DeleteRetention time.Duration

	// Warnings are about settings of live topics that are allowed and that lose records under some circumstances.
	Warnings []string
}

// Options are those that keep batches within what the topics take. most is a limit of the process; 0: none.
func (t *Topics) Options(most int32) []kgo.Opt {
	return []kgo.Opt{kgo.ProducerBatchMaxBytesFn(func(topic string) int32 {
		n, ok := t.MaxMessageBytes[topic]
		if !ok {
			n = defaultMaxMessageBytes
		}
		if most > 0 {
			n = min(n, most)
		}
		return max(512, min(n, 64<<20)) // within what the client takes
	})}
}

const (
	// defaultMaxMessageBytes is Kafka's max.message.bytes less what the client asks to keep free.
	defaultMaxMessageBytes = 1_000_012
	defaultDeleteRetention = 24 * time.Hour
)

// TopicError says what is wrong with the live topics, one thing a line. Starting again does not help until they, or the
// program, are changed.
type TopicError struct{ Problems []string }

// Error implements error.
func (e *TopicError) Error() string { return strings.Join(e.Problems, "\n") }

// OptionError is a client option that the client refuses.
type OptionError struct{ error }

// Unwrap is what the client says.
func (e *OptionError) Unwrap() error { return e.error }

// Prepare checks that the topics a program reads and writes exist and fit it, and makes its internal ones: repartition
// topics and changelogs. Several instances may do it at once; an internal topic that is there is checked instead.
//
// The error is a *TopicError if the topics do not fit, an *OptionError if the client refuses its options; anything else is
// trouble with the cluster.
func Prepare(ctx context.Context, options []kgo.Opt, t *topology.Topology, log *slog.Logger) (*Topics, error) {
	p, done, err := newPreparer(options, t, log)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := p.run(ctx, p.find, p.counts, p.create, p.settle, p.configs); err != nil {
		return nil, err
	}
	return p.out, nil
}

func newPreparer(options []kgo.Opt, t *topology.Topology, log *slog.Logger) (p *preparer, done func(), err error) {
	// What the client knows of topics would else be as old as its other users may like it.
	client, err := kgo.NewClient(append(slices.Clone(options), kgo.MetadataMinAge(20*time.Millisecond))...)
	if err != nil {
		return nil, nil, &OptionError{err}
	}
	return &preparer{t: t, admin: kadm.NewClient(client), log: log, out: &Topics{MaxMessageBytes: map[string]int32{}, DeleteRetention: defaultDeleteRetention}}, client.Close, nil
}

// run takes steps until one finds problems.
func (p *preparer) run(ctx context.Context, steps ...func(context.Context) error) error {
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
		if len(p.problems) > 0 {
			return &TopicError{p.problems}
		}
	}
	return nil
}

type preparer struct {
	t        *topology.Topology
	admin    *kadm.Client
	log      *slog.Logger
	out      *Topics
	live     map[string]int32 // partition counts
	internal []internalTopic
	problems []string
}

func (p *preparer) problem(format string, args ...any) {
	p.problems = append(p.problems, fmt.Sprintf(format, args...))
}

// find looks for the topics from outside. A broker knows a topic some time after it was made, so one that is missing is
// looked for again, for a second.
func (p *preparer) find(ctx context.Context) error {
	for end := time.Now().Add(time.Second); ; {
		p.problems, p.out.Warnings = nil, nil
		if err := p.look(ctx); err != nil {
			return err
		}
		if err := p.outside(); err != nil {
			return err
		}
		if len(p.problems) == 0 || time.Now().After(end) {
			return nil
		}
		if err := pause(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

// look asks for the topics that are there: all of them if a source reads by pattern, else those with the program's names.
func (p *preparer) look(ctx context.Context) error {
	var names []string
	for i := range p.t.Topics {
		names = append(names, p.t.Topics[i].Name)
	}
	for i := range p.t.SubTopologies {
		s := &p.t.SubTopologies[i]
		for j := range s.Stores {
			names = append(names, s.Stores[j].Changelog)
		}
		if slices.ContainsFunc(s.Sources, func(s topology.Source) bool { return s.Pattern != "" }) {
			names = nil
			break
		}
	}
	details, err := p.admin.ListTopics(ctx, names...)
	if err != nil {
		return fmt.Errorf("asking for the topics: %w", err)
	}
	p.live = map[string]int32{}
	for _, d := range details.Sorted() {
		switch {
		case d.Err == nil:
			p.live[d.Topic] = int32(len(d.Partitions))
		case errors.Is(d.Err, kerr.UnknownTopicOrPartition):
		case errors.Is(d.Err, kerr.TopicAuthorizationFailed):
			p.problem("topic %q: this user may not describe it (ACL: Describe, and Read or Write as the program needs)", d.Topic)
		case errors.Is(d.Err, kerr.InvalidTopicException):
			p.problem("topic %q: this is no name of a topic", d.Topic)
		default:
			return fmt.Errorf("topic %q: %w", d.Topic, d.Err)
		}
	}
	return nil
}

// outside checks that the topics from outside exist.
func (p *preparer) outside() error {
	for i := range p.t.Topics {
		topic := &p.t.Topics[i]
		if _, ok := p.live[topic.Name]; ok || topic.Kind == topology.Repartition {
			continue
		}
		if source := p.reader(uint16(i)); source != nil {
			p.problem("topic %q does not exist: %s reads it%s", topic.Name, source.Name, p.at(source))
		} else {
			p.problem("topic %q does not exist: a sink writes it, and sinks do not make topics because their partitions and retention are not the program's to choose", topic.Name)
		}
	}
	for _, s := range p.t.Sources() {
		names, err := p.t.Matching(s, p.live)
		if err != nil {
			return err
		}
		if s.Pattern != "" && len(names) == 0 {
			p.warn("no topic matches %q, the pattern of %s%s", s.Pattern, s.Name, p.at(s))
		}
	}
	return nil
}

func (p *preparer) warn(format string, args ...any) {
	p.out.Warnings = append(p.out.Warnings, fmt.Sprintf(format, args...))
}

func (p *preparer) reader(topic uint16) *topology.Source {
	for _, s := range p.t.Sources() {
		if slices.Contains(s.Topics, topic) {
			return s
		}
	}
	return nil
}

// at is where the source stands in the spec.
func (p *preparer) at(s *topology.Source) string {
	if int(s.Position) >= len(p.t.Positions) {
		return ""
	}
	pos := p.t.Positions[s.Position]
	return fmt.Sprintf(" (%s:%d:%d)", pos.File, pos.Line, pos.Column)
}

// counts works out how many partitions each topic has or gets, and lists the internal ones. The count of an internal topic
// that exists is checked, not taken: it may have been made for other inputs.
func (p *preparer) counts(context.Context) error {
	counts, err := p.t.Resolve(p.live)
	if err != nil {
		p.problem("%v", err)
		return nil
	}
	p.out.Partitions = counts
	for i := range p.t.Topics {
		if topic := &p.t.Topics[i]; topic.Kind == topology.Repartition {
			p.internal = append(p.internal, internalTopic{name: topic.Name, partitions: counts.Topics[i], want: repartitionConfig})
		}
	}
	for i := range p.t.SubTopologies {
		for j := range p.t.SubTopologies[i].Stores {
			s := &p.t.SubTopologies[i].Stores[j]
			if s.Row != nil { // somebody else's
				continue
			}
			want := changelogConfig
			if s.Expires() {
				want = windowedChangelogConfig
			}
			p.internal = append(p.internal, internalTopic{name: s.Changelog, partitions: counts.Tasks[i], want: want, store: s.Name})
		}
	}
	return nil
}

// create makes the internal topics that are missing. One that another instance makes meanwhile is no error.
func (p *preparer) create(ctx context.Context) error {
	if err := p.checkTopicConfig(); err != nil {
		return err
	}
	factor := int16(-1)
	if p.t.ReplicationFactor > 0 {
		factor = int16(p.t.ReplicationFactor)
	}
	for i := range p.internal {
		it := &p.internal[i]
		if _, ok := p.live[it.name]; ok || it.partitions == 0 { // 0: nothing to read, so no task
			continue
		}
		configs := map[string]*string{}
		for _, e := range p.t.TopicConfig {
			configs[e.Key] = &e.Value
		}
		for _, s := range it.want {
			if _, given := configs[s.key]; !given || s.fixed {
				configs[s.key] = &s.value
			}
		}
		r, err := p.admin.CreateTopic(ctx, it.partitions, factor, configs, it.name)
		if err == nil {
			err = r.Err
		}
		switch {
		case err == nil:
			p.log.Info("made topic", "topic", it.name, "partitions", it.partitions)
		case errors.Is(err, kerr.TopicAlreadyExists):
		case errors.Is(err, kerr.InvalidReplicationFactor):
			p.problem("topic %q: the cluster refuses replication_factor = %d (%s)", it.name, p.t.ReplicationFactor, r.ErrMessage)
		case errors.Is(err, kerr.InvalidConfig):
			p.problem("topic %q: the cluster refuses a setting of topic_config: %s", it.name, r.ErrMessage)
		case errors.Is(err, kerr.TopicAuthorizationFailed), errors.Is(err, kerr.ClusterAuthorizationFailed):
			p.problem("topic %q: this user may not make it (ACL: Create on the prefix %q), nor is it there", it.name, p.t.App+"-")
		case errors.Is(err, kerr.PolicyViolation):
			p.problem("topic %q: the cluster's policy forbids it: %s", it.name, r.ErrMessage)
		default:
			return fmt.Errorf("making topic %q: %w", it.name, err)
		}
	}
	return nil
}

// settle waits until the whole cluster knows the internal topics, and checks their partition counts.
func (p *preparer) settle(ctx context.Context) error {
	var names []string
	for _, it := range p.internal {
		if it.partitions > 0 {
			names = append(names, it.name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		details, err := p.admin.ListTopics(ctx, names...)
		if err != nil {
			return fmt.Errorf("asking for the internal topics: %w", err)
		}
		if missing := unsettled(details, names); missing == "" {
			for _, it := range p.internal {
				if it.partitions > 0 {
					p.checkCount(it, int32(len(details[it.name].Partitions)))
				}
			}
			return nil
		} else if wait == time.Second {
			p.log.Info("waiting for the cluster to know a topic", "topic", missing)
		}
		if err := pause(ctx, wait); err != nil {
			return err
		}
	}
}

// unsettled is a topic that has no leader for a partition yet, or "".
func unsettled(details kadm.TopicDetails, names []string) string {
	for _, name := range names {
		d, ok := details[name]
		if !ok || d.Err != nil || len(d.Partitions) == 0 {
			return name
		}
		for _, p := range d.Partitions {
			if p.Err != nil && !errors.Is(p.Err, kerr.ReplicaNotAvailable) || p.Leader < 0 {
				return name
			}
		}
	}
	return ""
}

func (p *preparer) checkCount(it internalTopic, n int32) {
	if n == it.partitions {
		return
	}
	what := "records of one key would be split between old and new partitions"
	if it.store != "" {
		what = fmt.Sprintf("rows of store %q would be looked for in partitions where they are not", it.store)
	}
	p.problem("topic %q has %d partitions, but the program needs %d now, as many as its inputs have: %s; give the inputs their "+
		"old count back, or reset the application (stop all instances, delete its internal topics and state directories) and let it process its input anew",
		it.name, n, it.partitions, what)
}

// configs reads the settings of live topics: it checks those of internal ones and warns about the others.
func (p *preparer) configs(ctx context.Context) error {
	var names []string
	for i := range p.t.Topics {
		if p.out.Topics[i] > 0 {
			names = append(names, p.t.Topics[i].Name)
		}
	}
	for _, it := range p.internal {
		if it.partitions > 0 && !slices.Contains(names, it.name) {
			names = append(names, it.name)
		}
	}
	described, err := p.admin.DescribeTopicConfigs(ctx, names...)
	if err != nil {
		return fmt.Errorf("asking for the settings of topics: %w", err)
	}
	for _, name := range names {
		r, err := described.On(name, nil)
		if err == nil {
			err = r.Err
		}
		if errors.Is(err, kerr.TopicAuthorizationFailed) {
			p.warn("topic %q: this user may not see its settings (ACL: DescribeConfigs), so they are not checked", name)
			continue
		}
		if err != nil {
			return fmt.Errorf("settings of topic %q: %w", name, err)
		}
		c := liveConfig{}
		for _, e := range r.Configs {
			c[e.Key] = e.MaybeValue()
		}
		p.out.MaxMessageBytes[name] = c.maxMessageBytes()
		if i := slices.IndexFunc(p.internal, func(it internalTopic) bool { return it.name == name }); i >= 0 {
			p.checkInternal(&p.internal[i], c)
		}
		if p.keepsDeletes(name) && strings.Contains(c.get("cleanup.policy", "delete"), "compact") {
			p.retains(c)
		}
	}
	p.warnTables(described)
	return nil
}

// liveConfig are the settings of a live topic. What a cluster does not tell has Kafka's default.
type liveConfig map[string]string

func (c liveConfig) maxMessageBytes() int32 {
	if n, err := strconv.ParseInt(c["max.message.bytes"], 10, 32); err == nil {
		return int32(n)
	}
	return defaultMaxMessageBytes
}

func (c liveConfig) get(key, deflt string) string {
	if v, ok := c[key]; ok && v != "" {
		return v
	}
	return deflt
}
