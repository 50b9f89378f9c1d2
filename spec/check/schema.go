package check

import (
	"slices"
	"strconv"
	"strings"

	"github.com/streamgen/streamgen/spec/syntax"
)

// attr is an attribute that a block may have.
type attr struct {
	name  string
	need  string // it is required: what it says, behind "needs "x": "
	hint  string // for one that is missing, or what serves until there is one
	later bool   // of the language, but not of this version
}

// shape is what may stand in a block.
type shape struct {
	word   string
	labels int
	attrs  []attr
	blocks []string // inner blocks other than steps
	steps  bool
	later  bool
}

var description = attr{name: "description"}
var onError = attr{name: "on_error"}

// topLevels are the blocks of a file.
var topLevels = []shape{
	{word: "app", labels: 1, attrs: []attr{
		{name: "processing_guarantee", need: "what a crash may do to results", hint: `"exactly_once_v2" or "at_least_once"`},
		{name: "start", need: "where a stream begins that the group never read", hint: `"earliest", "latest", or a duration such as "7d"`},
		{name: "num_standby_replicas", later: true, hint: "leave it out: state is restored from its changelog"},
		{name: "commit_interval"},
		{name: "replication_factor"},
		{name: "topic_config"},
		onError,
		{name: "dead_letter_topic"},
		description,
	}},
	{word: "type", labels: 1},
	{word: "enum", labels: 1, attrs: []attr{{name: "values", need: "the texts that it stands for", hint: `values = ["bronze", "silver"]`}, description}},
	{word: "variable", labels: 1, attrs: []attr{{name: "type", need: "the type of its value", hint: "type = int64"}, {name: "default"}, {name: "runtime"}, description}},
	{word: "locals"},
	{word: "stream", labels: 1, steps: true, blocks: []string{"time"}},
	{word: "table", labels: 1, steps: true, blocks: []string{"time"}},
	{word: "branch", labels: 1, attrs: []attr{
		{name: "from", need: "the stream that it divides", hint: "from = stream.x"}, onError, description,
	}, blocks: []string{"case", "default"}},
	{word: "sink", labels: 1, attrs: []attr{
		{name: "from", need: "what it writes", hint: "from = stream.x"},
		{name: "topic", need: "the topic it writes to"},
		{name: "topics"},
		{name: "value", need: "the format of values", hint: "value = json, or string, int64, …"},
		{name: "key"},
		{name: "partition"},
		onError, description,
	}},
	{word: "global_table", labels: 1, steps: true},
	{word: "function", labels: 1, attrs: []attr{
		{name: "go", need: "the Go function that it stands for", hint: `go = "example.com/shop/fraud.Score"`}, {name: "pure"}, description,
	}},
	{word: "store", labels: 1, later: true},
	{word: "processor", labels: 1, later: true},
	{word: "moved", later: true},
	{word: "removed", later: true},
}

// Sources and derived blocks have different attributes. The common ones decide which of the two a block is.
var (
	sourceAttrs = []attr{
		{name: "topic"},
		{name: "key"},
		{name: "value", need: "the format of values", hint: "value = json(T), or string, int64, …"},
		{name: "partitioner"},
		onError, description,
	}
	streamSource = shape{word: "stream source", steps: true, blocks: []string{"time"}, attrs: slices.Concat(sourceAttrs, []attr{
		{name: "topics"}, {name: "topic_pattern"}, {name: "start"},
	})}
	tableSource = shape{word: "table source", steps: true, blocks: []string{"time"}, attrs: slices.Concat(sourceAttrs, []attr{
		{name: "bootstrap"}, {name: "reuse_source"},
	})}
	globalSource = shape{word: "global table", steps: true, attrs: []attr{
		{name: "topic", need: "what it holds the rows of"},
		{name: "key", need: "the format of keys", hint: "key = string"},
		{name: "value", need: "the format of values", hint: "value = json(T), or string, int64, …"},
		{name: "partitioner"},
		onError, description,
	}}
	streamDerived = shape{word: "derived stream", steps: true, attrs: []attr{{name: "from"}, onError, description}}
	tableDerived  = shape{word: "derived table", steps: true, attrs: []attr{{name: "from"}, {name: "emit"}, onError, description}}
)

// caseShape and defaultShape are the ways out of a branch.
var (
	caseShape    = shape{word: "case", labels: 1, attrs: []attr{{name: "where", need: "which records it takes", hint: `where = value.amount > 50`}, onError, description}}
	defaultShape = shape{word: "default", labels: 1, attrs: []attr{description}}
)

// step is a step of a stream or a table.
type step struct {
	shape
	stream bool // may stand in a stream, and in a table above its making step
	table  bool // may stand in a table below its making step
	making bool // makes a stream a table
}

var joinAttrs = []attr{
	{name: "with", need: "the other side", hint: "with = table.x"},
	{name: "as", need: "the name of the other side in value", hint: "as = customer"},
	{name: "value", need: "what the two sides give", hint: "value = merge(value, { … })"},
	{name: "on"}, {name: "before"}, {name: "after"}, {name: "grace"},
	onError, description,
}

// steps are all steps of the language.
var steps = []step{
	{stream: true, table: true, shape: shape{word: "filter", attrs: []attr{whereAttr, onError, description}}},
	{stream: true, table: true, shape: shape{word: "filter_not", attrs: []attr{whereAttr, onError, description}}},
	{stream: true, table: true, shape: shape{word: "map_values", attrs: []attr{{name: "value", need: "the new value"}, onError, description}}},
	{stream: true, shape: shape{word: "select_key", attrs: []attr{{name: "key", need: "the new key", hint: "key = value.id"}, onError, description}}},
	{stream: true, shape: shape{word: "map", attrs: []attr{{name: "key"}, {name: "value"}, {name: "timestamp"}, {name: "headers"}, onError, description}}},
	{stream: true, shape: shape{word: "peek", attrs: []attr{{name: "message", need: "the line to log", hint: `message = "order ${key}"`}, {name: "level"}, onError, description}}},
	{stream: true, shape: shape{word: "repartition", labels: 1, attrs: []attr{{name: "partitions"}, description}}},
	{stream: true, table: true, shape: shape{word: "join", attrs: joinAttrs}},
	{stream: true, table: true, shape: shape{word: "left_join", attrs: joinAttrs}},
	{stream: true, table: true, shape: shape{word: "outer_join", attrs: joinAttrs}},
	{stream: true, shape: shape{word: "flat_map", attrs: []attr{{name: "each", need: "the records to make of one", hint: "each = [for line in value.lines : { key = line.sku, value = line }]"}, onError, description}}},
	{stream: true, shape: shape{word: "flat_map_values", attrs: []attr{{name: "each", need: "the values to make records of", hint: "each = value.lines"}, onError, description}}},
	{stream: true, shape: shape{word: "dedup", attrs: []attr{
		{name: "by", need: "what equal records have in common", hint: "by = value.id"},
		{name: "within", need: "how long a record that passed holds back its equals", hint: `within = "1h"`},
		onError, description,
	}}},
	{stream: true, shape: shape{word: "process", later: true}},
	{stream: true, shape: shape{word: "process_values", later: true}},
	{table: true, shape: shape{word: "group_by", attrs: []attr{{name: "key", need: "what groups the records", hint: "key = value.id"}, {name: "value"}, onError, description}}},
	{shape: shape{word: "window", labels: 1, attrs: windowAttrs}},
	{table: true, shape: shape{word: "suppress", attrs: []attr{{name: "until"}, {name: "time_limit"}, {name: "max_records"}, {name: "max_bytes"}, {name: "when_full"}, description}}},
	{table: true, shape: shape{word: "store", labels: 1, attrs: []attr{{name: "history"}, {name: "retention"}, {name: "ttl"}, {name: "unbounded"}, description}}},
	{making: true, shape: shape{word: "to_table", attrs: []attr{description}}},
	{making: true, shape: shape{word: "count", attrs: []attr{{name: "keep_zero"}, description}}},
	{making: true, shape: shape{word: "aggregate", attrs: []attr{{name: "value", need: "an expression over aggregators", hint: "value = { n = count(), total = sum(value.amount) }"}, {name: "keep_zero"}, onError, description}}},
	{making: true, shape: shape{word: "reduce", attrs: []attr{{name: "add", need: "how a value is added to the state", hint: "add = agg + value"}, {name: "remove"}, onError, description}}},
	{making: true, shape: shape{word: "fold", attrs: []attr{
		{name: "init", need: "the state before the first value", hint: "init = 0"},
		{name: "add", need: "how a value is added to the state", hint: "add = agg + value"},
		{name: "remove"}, {name: "merge"}, onError, description,
	}}},
	{making: true, shape: shape{word: "cogroup", blocks: []string{"input"}, attrs: []attr{
		{name: "init", need: "the state before the first value", hint: "init = 0"}, {name: "merge"}, onError, description,
	}}},
}

var whereAttr = attr{name: "where", need: "a condition", hint: "where = value.amount > 0"}

func topLevel(kind string) *shape {
	for i := range topLevels {
		if topLevels[i].word == kind {
			return &topLevels[i]
		}
	}
	return nil
}

func topLevelNames() []string {
	var names []string
	for _, s := range topLevels {
		names = append(names, s.word)
	}
	return names
}

func stepNamed(name string) *step {
	for i := range steps {
		if steps[i].word == name {
			return &steps[i]
		}
	}
	return nil
}

func (s *shape) attr(name string) *attr {
	for i := range s.attrs {
		if s.attrs[i].name == name {
			return &s.attrs[i]
		}
	}
	return nil
}

func (s *shape) attrNames() []string {
	var names []string
	for _, a := range s.attrs {
		names = append(names, a.name)
	}
	return names
}

// title is how messages call a block: filter, stream "orders".
func title(b *syntax.Block) string {
	var s strings.Builder
	s.WriteString(b.Type.Name)
	for _, l := range b.Labels {
		s.WriteString(" " + strconv.Quote(l.Name))
	}
	return s.String()
}

func itoa(n int) string { return strconv.Itoa(n) }

// plural is a word for n things.
func plural(word string, n int) string {
	switch {
	case n == 1:
		return word
	case strings.HasSuffix(word, "ch"):
		return word + "es"
	case strings.HasSuffix(word, "y"):
		return strings.TrimSuffix(word, "y") + "ies"
	default:
		return word + "s"
	}
}
