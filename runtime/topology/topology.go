// Package topology is the declaration of a program: the data that generated code gives to the runtime. Generated code names
// these types through the aliases of package runtime; engine and testdriver read them here, below runtime in the import
// order.
package topology

import (
	"slices"
	"time"

	"github.com/streamgen/streamgen/runtime/state"
	"github.com/streamgen/streamgen/runtime/task"
)

// Topology is the declaration of a generated program. It is data: nothing runs until it is given to Main or to the test
// driver.
type Topology struct {
	App               string
	Guarantee         Guarantee
	CommitInterval    time.Duration
	ReplicationFactor int           // of internal topics; 0: the broker's default
	TopicConfig       []ConfigEntry // of internal topics
	Topics            []Topic
	DeadLetters       string // name of the one of Topics that records go to which cannot be processed, where a policy says so; "": there is none
	SubTopologies     []SubTopology
	GlobalTables      []GlobalTable
	Positions         []task.Position
	Variables         []Variable
}

// Guarantee is the processing guarantee.
type Guarantee uint8

// The guarantees.
const (
	AtLeastOnce Guarantee = iota + 1
	ExactlyOnce
)

// ConfigEntry is one setting of a topic.
type ConfigEntry struct{ Key, Value string }

// TopicKind is what a topic is to the program.
type TopicKind uint8

// The kinds of topic. Changelogs are declared by their stores.
const (
	Input TopicKind = iota + 1
	Output
	Repartition
)

// Topic is a topic the program reads or writes. Its index is how generated code names it.
type Topic struct {
	Name        string
	Kind        TopicKind
	Key, Value  string   // wire formats, for checks, tests and queries: "string", "json(Order)"
	Partitions  int32    // of a repartition with a fixed count
	DeadLetters bool     // of an output: what the broker refuses becomes a dead letter
	Like        []uint16 // of a repartition: takes the largest partition count of these
}

// SubTopology is a part of the topology that only topics join to the others.
type SubTopology struct {
	Name    string
	Sources []Source // their order is the value of record.Record.Source
	Stores  []Store
	New     func(*task.Task) (task.SubTopology, error)
}

// GlobalTable is a table that each process holds as a whole. It reads all partitions of a topic, without a group, to its end before
// anything is processed, and then follows it; what it sees triggers nothing. All tasks of the process look into its rows.
type GlobalTable struct {
	Source Source                                     // of one topic
	Store  Store                                      // without a changelog: the topic is the log
	New    func(*task.Task) (task.SubTopology, error) // of the one task that changes the rows
}

// Sources are all that read a topic: those of the sub-topologies, and of the global tables.
func (t *Topology) Sources() (list []*Source) {
	for i := range t.SubTopologies {
		for j := range t.SubTopologies[i].Sources {
			list = append(list, &t.SubTopologies[i].Sources[j])
		}
	}
	for i := range t.GlobalTables {
		list = append(list, &t.GlobalTables[i].Source)
	}
	return list
}

// DeadLetterTopic is the index of the topic of dead letters; nil: there is none.
func (t *Topology) DeadLetterTopic() *uint16 {
	for i := range t.Topics {
		if t.DeadLetters != "" && t.Topics[i].Name == t.DeadLetters {
			return new(uint16(i))
		}
	}
	return nil
}

// Topic is the topic of a global table.
func (t *Topology) Topic(g *GlobalTable) *Topic { return &t.Topics[g.Source.Topics[0]] }

// Source is an input of a sub-topology.
type Source struct {
	Name      string   // address: "stream.orders"
	Topics    []uint16 // by index
	Pattern   string   // instead of Topics: a regular expression over topic names, as the whole name
	Table     bool     // begins at the beginning, whatever Start says
	Bootstrap bool     // on the first start, read to its end before sources that are no tables begin
	Start     Start
	Idle      time.Duration // so long it has to be silent for stream time to pass without its records; 0: it does not
	Position  task.At       // of the block

	// Partitioner is how the writers of the topics choose partitions: one of record.Partitioners, or "manual"; "" is Kafka's own.
	Partitioner string
}

// Start is where a source begins that the group never read: Earliest, Latest, or that long ago.
type Start time.Duration

// The starts that are no durations.
const (
	Earliest Start = -1
	Latest   Start = -2
)

// StoreKind says how the rows of a store lie in the task's database.
type StoreKind uint8

// The kinds of store.
const (
	PlainStore        StoreKind = iota // by key
	WindowStore                        // by the start of their window, then by key (state.Windowed)
	SessionStore                       // by the bucket of time that their session ends in, then by key (state.Sessions)
	SlidingStore                       // by the start of their window, then by key, and found by key (state.Sliding)
	SuppressStore                      // by the time at which they leave, then by key (state.Suppress)
	JoinStore                          // by bucket of time, then by key (state.Joined)
	VersionedStore                     // by key, each with its history (state.Versioned)
	SubscriptionStore                  // by foreign key, then by key (state.Subscriptions)
)

// Maker is the source whose topic is the changelog of a store, nil of one that has a changelog of its own.
func (t *Topology) Maker(s *Store) *Source {
	if s.Row == nil {
		return nil
	}
	list := t.Sources()
	return list[slices.IndexFunc(list, func(src *Source) bool { return len(src.Topics) == 1 && t.Topics[src.Topics[0]].Name == s.Changelog })]
}

// Schema is what the task's database has to know of the store.
func (s *Store) Schema() state.Schema {
	times := map[StoreKind]int{SlidingStore: state.SlidingTimes, SuppressStore: state.SuppressTimes}[s.Kind]
	return state.Schema{ID: s.ID, Name: s.Name, Fingerprint: s.Fingerprint, Unlogged: s.Row != nil, Times: times, TTL: s.TTL.Milliseconds(), Waits: s.Waits}
}

// Expires says whether rows of the store go without a tombstone.
func (s *Store) Expires() bool {
	return s.Kind == WindowStore || s.Kind == SessionStore || s.Kind == SlidingStore || s.Kind == JoinStore
}

// KeyBytes is the key of a row of which the task's database has key and timestamp, as it is on the wire.
func (s *Store) KeyBytes(key []byte, timestamp int64) []byte {
	switch s.Kind {
	case WindowStore:
		return state.WindowedKey(key)
	case SessionStore:
		return state.SessionKey(key, timestamp)
	case SlidingStore:
		return state.SlidingKey(key)
	case SuppressStore:
		return key[state.SuppressTimes:]
	case JoinStore:
		of, _, _ := state.SplitJoined(key)
		return of
	case SubscriptionStore:
		return state.SubscriptionKey(key)
	}
	return key
}

// Store is a store and its changelog.
type Store struct {
	Name        string
	ID          uint16 // prefix of its rows in the task's database
	Changelog   string
	Key, Value  string // types, for people
	Fingerprint string // of key and row format
	Kind        StoreKind
	History     time.Duration // of a VersionedStore
	TTL         time.Duration // of a PlainStore: so long behind its timestamp a row ends; 0: it does not
	Waits       bool          // of a JoinStore: what meets nothing waits for its null result
	// Row is set where the changelog is the topic that the table is read from, as far as the group has read it. It appends the row that a
	// record makes, which has a key; of one that deletes it gives nil. What it refuses, the table has refused.
	Row func(dst, key, value []byte) ([]byte, error)
	// JSON appends the row as JSON, of a VersionedStore the value of a version, for queries and tests.
	JSON func(dst, row []byte) ([]byte, error)
}

// Variable is a variable that is read when the program starts. Set parses and stores it.
type Variable struct {
	Name       string
	Type       string
	Default    string
	HasDefault bool
	Set        func(string) error
}
