// Package examples_test holds the examples to their answers. Each example is a spec with sample input and the results that a
// separate recount of that input gave; its generated package is committed. The tests prove that the package is what the spec
// gives, and run it in the test driver, over kfake and over a real broker, undisturbed and with crashes: the results are the
// same each time.
package examples_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	accountstatements "github.com/streamgen/streamgen/generated/account-statements"
	"github.com/streamgen/streamgen/generated/attribution"
	enrichwithfunction "github.com/streamgen/streamgen/generated/enrich-with-function"
	enrichedorders "github.com/streamgen/streamgen/generated/enriched-orders"
	failedlogins "github.com/streamgen/streamgen/generated/failed-logins"
	"github.com/streamgen/streamgen/generated/flights"
	hourlydepartures "github.com/streamgen/streamgen/generated/hourly-departures"
	"github.com/streamgen/streamgen/generated/landings"
	ordercounts "github.com/streamgen/streamgen/generated/order-counts"
	orderenrichment "github.com/streamgen/streamgen/generated/order-enrichment"
	pageviews "github.com/streamgen/streamgen/generated/page-views"
	processedorders "github.com/streamgen/streamgen/generated/processed-orders"
	"github.com/streamgen/streamgen/runtime/testdriver"
	"github.com/streamgen/streamgen/runtime/topology"
)

// example is a directory of this one.
type example struct {
	name     string
	topology func() *topology.Topology
	usesGo   bool   // code of the user's
	shared   string // directory of the topics that are not in its own
	ordered  bool   // what is late depends on the order of all input, so it is read from one partition
}

var examples = []example{
	{name: "account-statements", topology: accountstatements.Topology},
	{name: "attribution", topology: attribution.Topology},
	{name: "enrich-with-function", topology: enrichwithfunction.Topology, usesGo: true},
	{name: "enriched-orders", topology: enrichedorders.Topology},
	{name: "failed-logins", topology: failedlogins.Topology},
	{name: "flights", topology: flights.Topology},
	{name: "hourly-departures", topology: hourlydepartures.Topology, shared: "flights/input", ordered: true},
	{name: "landings", topology: landings.Topology, shared: "flights/input", ordered: true},
	{name: "order-counts", topology: ordercounts.Topology},
	{name: "order-enrichment", topology: orderenrichment.Topology},
	{name: "page-views", topology: pageviews.Topology, ordered: true},
	{name: "processed-orders", topology: processedorders.Topology},
}

// TestAllExamplesAreTested: a spec that nobody tests is no example.
func TestAllExamplesAreTested(t *testing.T) {
	specs, err := filepath.Glob("*/app.hcl")
	if err != nil {
		t.Fatal(err)
	}
	var found, tested []string
	for _, s := range specs {
		found = append(found, filepath.Dir(s))
	}
	for _, e := range examples {
		tested = append(tested, e.name)
		for _, file := range []string{"README.md", "want"} {
			if _, err := os.Stat(filepath.Join(e.name, file)); err != nil {
				t.Error(err)
			}
		}
	}
	if !slices.Equal(found, tested) {
		t.Errorf("there are %q, tested are %q", found, tested)
	}
}

// partitions is how many its topics have where n will do.
func (e example) partitions(n int32) int32 {
	if e.ordered {
		return 1
	}
	return n
}

// data is what goes into a program and what has to come out.
type data struct {
	tables, streams []testdriver.Record // in the order of the files
	want            map[string][]string // by output topic: the lines of its file
}

// sample is the data in an example's own directory.
func (e example) sample(t testing.TB) data {
	t.Helper()
	d := data{want: map[string][]string{}}
	e.read(t, filepath.Join(e.name, "input"), &d)
	for _, topic := range e.topics(topology.Output) {
		d.want[topic] = lines(t, filepath.Join(e.name, "want", topic+".jsonl"))
	}
	return d
}

// read reads the example's inputs, <topic>.jsonl or <topic>.jsonl.gz, from a directory.
func (e example) read(t testing.TB, dir string, d *data) {
	t.Helper()
	top := e.topology()
	tables := e.tables()
	for i := range top.Topics {
		topic := &top.Topics[i]
		if topic.Kind != topology.Input {
			continue
		}
		var name string
		for _, name = range []string{filepath.Join(dir, topic.Name+".jsonl"), filepath.Join(dir, topic.Name+".jsonl.gz"),
			filepath.Join(e.shared, topic.Name+".jsonl.gz")} {
			if _, err := os.Stat(name); err == nil {
				break
			}
		}
		var list []testdriver.Record
		for n, text := range lines(t, name) {
			r, err := parse(topic, text)
			if err != nil {
				t.Fatalf("%s:%d: %v", name, n+1, err)
			}
			list = append(list, r)
		}
		if tables[topic.Name] {
			d.tables = append(d.tables, list...)
		} else {
			d.streams = merged(d.streams, list)
		}
	}
}

// merged is two streams as they would come, each in its order: next is the one whose head is older.
func merged(a, b []testdriver.Record) (all []testdriver.Record) {
	for len(a) > 0 && len(b) > 0 {
		next := &a
		if b[0].Timestamp < a[0].Timestamp {
			next = &b
		}
		all = append(all, (*next)[0])
		*next = (*next)[1:]
	}
	return slices.Concat(all, a, b)
}

func (e example) topics(kind topology.TopicKind) []string {
	var names []string
	for _, topic := range e.topology().Topics {
		if topic.Kind == kind {
			names = append(names, topic.Name)
		}
	}
	return names
}

// grouped are the inputs that the group has offsets of: not those of global tables, which are complete before anything is processed.
func (e example) grouped() []string {
	top := e.topology()
	return slices.DeleteFunc(e.topics(topology.Input), func(name string) bool {
		return slices.ContainsFunc(top.GlobalTables, func(g topology.GlobalTable) bool { return top.Topic(&g).Name == name })
	})
}

// tables are the topics that are read as tables.
func (e example) tables() map[string]bool {
	top, tables := e.topology(), map[string]bool{}
	for _, s := range top.Sources() {
		for _, i := range s.Topics {
			tables[top.Topics[i].Name] = tables[top.Topics[i].Name] || s.Table
		}
	}
	return tables
}

func parse(topic *topology.Topic, text string) (r testdriver.Record, err error) {
	var in struct {
		Key, Value json.RawMessage
		TS         int64
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return r, err
	}
	r.Topic, r.Timestamp = topic.Name, in.TS
	if r.Key, err = testdriver.Encode(topic.Key, in.Key); err != nil {
		return r, fmt.Errorf("key: %w", err)
	}
	if r.Value, err = testdriver.Encode(topic.Value, in.Value); err != nil {
		return r, fmt.Errorf("value: %w", err)
	}
	return r, nil
}

// lines reads a text file, perhaps gzipped.
func lines(t testing.TB, name string) []string {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var text io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if text, err = gzip.NewReader(f); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	var list []string
	s := bufio.NewScanner(text)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		if line := s.Text(); line != "" {
			list = append(list, line)
		}
	}
	if err := s.Err(); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return list
}

// check compares what topics hold with what is wanted. Files whose lines have a time are of streams: each record has to be
// there as often as in the file. Others are of tables: the last record of each key.
func (e example) check(t testing.TB, want map[string][]string, read func(topic string) []testdriver.Record) {
	t.Helper()
	top := e.topology()
	for i := range top.Topics {
		topic := &top.Topics[i]
		if topic.Kind != topology.Output {
			continue
		}
		wanted := want[topic.Name]
		if len(wanted) == 0 {
			t.Errorf("%s: nothing is wanted", topic.Name)
			continue
		}
		if isStream(wanted) {
			differ(t, topic.Name, stream(t, topic, read(topic.Name)), wanted)
		} else {
			differ(t, topic.Name, table(t, topic, read(topic.Name)), wanted)
		}
	}
}

// checkOrder checks that streams went through one partition in the order of their files.
func (e example) checkOrder(t testing.TB, want map[string][]string, read func(topic string) []testdriver.Record) {
	t.Helper()
	top := e.topology()
	for i := range top.Topics {
		topic := &top.Topics[i]
		wanted := want[topic.Name]
		if topic.Kind == topology.Output && isStream(wanted) && !slices.Equal(stream(t, topic, read(topic.Name)), wanted) {
			t.Errorf("%s: the order is another", topic.Name)
		}
	}
}

func isStream(wanted []string) bool { return strings.Contains(wanted[0], `"ts":`) }

// stream is what a topic holds, as lines.
func stream(t testing.TB, topic *topology.Topic, records []testdriver.Record) []string {
	t.Helper()
	var list []string
	for _, r := range records {
		key, value := texts(t, topic, r)
		list = append(list, fmt.Sprintf(`{"key":%s,"ts":%d,"value":%s}`, key, r.Timestamp, value))
	}
	return list
}

// table is the last record of each key, as lines.
func table(t testing.TB, topic *topology.Topic, records []testdriver.Record) []string {
	t.Helper()
	last := map[string]testdriver.Record{}
	for _, r := range records {
		last[string(r.Key)] = r
		if r.Value == nil {
			delete(last, string(r.Key))
		}
	}
	var list []string
	for _, r := range last {
		key, value := texts(t, topic, r)
		list = append(list, fmt.Sprintf(`{"key":%s,"value":%s}`, key, value))
	}
	return list
}

func texts(t testing.TB, topic *topology.Topic, r testdriver.Record) (key, value []byte) {
	t.Helper()
	key, err := testdriver.Decode(topic.Key, r.Key)
	if err == nil {
		value, err = testdriver.Decode(topic.Value, r.Value)
	}
	if err != nil {
		t.Fatalf("%s: %v", topic.Name, err)
	}
	return key, value
}

// differ reports how two lists differ, whatever their order.
func differ(t testing.TB, what string, got, want []string) {
	t.Helper()
	n := map[string]int{}
	for _, line := range want {
		n[line]++
	}
	for _, line := range got {
		n[line]--
	}
	var wrong []string
	for line, d := range n {
		switch {
		case d > 0:
			wrong = append(wrong, fmt.Sprintf("- %s (%d times)", line, d))
		case d < 0:
			wrong = append(wrong, fmt.Sprintf("+ %s (%d times)", line, -d))
		}
	}
	if len(wrong) == 0 {
		return
	}
	slices.SortFunc(wrong, func(a, b string) int { return bytes.Compare([]byte(a[2:]), []byte(b[2:])) })
	t.Errorf("%s: %d lines, want %d; missing -, too many +:\n%s", what, len(got), len(want), strings.Join(wrong[:min(len(wrong), 20)], "\n"))
}
