// Package local runs a compiled program against Kafka for `streamgen run`: against a broker in this process, or others that are
// named. It feeds the program's input, shows its output and stops it when everything is processed.
//
// The program is a process of its own, as in production; only the broker and what looks at it are in here.
package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/streamgen/streamgen/codegen/plan"
)

// Options are how a program is run.
type Options struct {
	Plan       *plan.Plan
	Binary     string
	Args       []string // more arguments for the program
	Brokers    []string // none: the embedded one
	Inputs     []Input
	Partitions int32    // of topics on the embedded broker
	Show       []string // labels of sinks; nil: all
	Limit      int      // of records shown, for each sink; 0: no limit
	Text       bool     // show records for people, not as JSON lines
	Verbose    bool     // show all of the program's log
	Out, Log   io.Writer
	Say        func(format string, args ...any)
}

// Run runs a program until its input is consumed to the end, or ctx is done. Without input it runs until ctx is done.
func Run(ctx context.Context, o Options) (*Summary, error) {
	shown, err := o.sinks()
	if err != nil {
		return nil, err
	}
	tables, streams, err := o.open()
	defer closeAll(tables, streams)
	if err != nil {
		return nil, err
	}
	c, err := connect(o.Brokers)
	if err != nil {
		return nil, err
	}
	defer c.close()
	if c.embedded != nil {
		o.Say("embedded broker: %s", c.brokers[0])
	}
	if err := c.createTopics(ctx, o.Plan, o.Inputs, o.Partitions); err != nil {
		return nil, err
	}
	r := &run{Options: o, cluster: c, fed: newFed(), show: &show{out: o.Out, text: o.Text, limit: o.Limit, topics: shown}}
	if err := watch(ctx, c, r.show); err != nil {
		return nil, err
	}
	return r.run(ctx, tables, streams)
}

// run is one run that is going on.
type run struct {
	Options
	cluster *cluster
	fed     *fed
	show    *show
	address string // where the program serves health and metrics
}

func (r *run) run(ctx context.Context, tables, streams []*reader) (*Summary, error) {
	background, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	looking := make(chan struct{})
	go func() {
		defer close(looking)
		if err := r.show.run(background); err != nil {
			cancel(err)
		}
	}()
	defer func() { cancel(nil); <-looking }()

	// Tables are there before the program starts, as they would be in production: it reads them to their ends first.
	if err := feed(background, r.cluster.client, tables, r.fed); err != nil {
		return nil, err
	}
	args, cleanup, err := r.args()
	if err != nil {
		return nil, err
	}
	defer cleanup()
	_, level := r.given("log-level")
	_, format := r.given("log-format")
	program, err := start(r.Binary, args, r.Log, r.Verbose || level || format)
	if err != nil {
		return nil, err
	}
	go func() { // a program that ends by itself ends the run
		<-program.done
		cancel(errEnded)
	}()
	summary, err := r.process(background, program, streams)
	interrupted, ended := ctx.Err() != nil, program.hasEnded()
	stopping, stopped := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer stopped()
	failure := program.stop(stopping)
	if ended {
		return summary, program.ended()
	}
	if errors.Is(err, context.Canceled) && background.Err() != nil {
		err = context.Cause(background) // what ended the run is why it was cancelled
	}
	if interrupted {
		err = nil // somebody wanted it to end
	}
	return summary, errors.Join(err, failure)
}

var errEnded = errors.New("the program ended")

// process feeds the streams and waits until all is done. It gives the summary also where the run was interrupted.
func (r *run) process(ctx context.Context, program *child, streams []*reader) (*Summary, error) {
	fed := make(chan error, 1)
	go func() { fed <- feed(ctx, r.cluster.client, streams, r.fed) }()
	if err := program.ready(ctx, r.address); err != nil {
		<-fed
		return nil, err
	}
	started := time.Now()
	r.Say("%s: running, http://%s", r.Plan.App, r.address)
	err := <-fed
	if err == nil && len(r.Inputs) > 0 {
		err = r.cluster.drained(ctx, r.Plan, r.fed)
	} else if err == nil {
		<-ctx.Done()
	}
	elapsed := time.Since(started)
	asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	look := func() (Summary, error) { return measure(asking, r.address, r.Plan) }
	summary, measured := look()
	if err == nil && measured == nil && len(r.Inputs) > 0 {
		settling, settledBy := context.WithTimeout(asking, 2*time.Second)
		summary, measured = settled(settling, r.fed.total(), look)
		settledBy()
	}
	summary.Seconds = elapsed.Seconds()
	if err != nil || measured != nil {
		return &summary, errors.Join(err, measured)
	}
	if len(r.Inputs) > 0 {
		ends, err := r.cluster.ends(ctx, r.show.topics)
		if err != nil {
			return &summary, err
		}
		if err := r.show.reached(ctx, ends); err != nil {
			return &summary, err
		}
	}
	if r.cluster.embedded != nil {
		if summary.Keys, err = r.cluster.stateKeys(asking, r.Plan); err != nil {
			return &summary, err
		}
	}
	summary.Hidden = r.show.hiddenRecords()
	return &summary, nil
}

// args are the program's arguments. On the embedded broker its state is as short-lived as the topics.
func (r *run) args() (args []string, cleanup func(), err error) {
	cleanup = func() {}
	args = []string{"--brokers", strings.Join(r.cluster.brokers, ",")}
	address, given := r.given("http")
	switch {
	case !given:
		if r.address, err = freeAddress(); err != nil {
			return nil, cleanup, err
		}
		args = append(args, "--http", r.address)
	case strings.HasPrefix(address, ":"):
		r.address = "127.0.0.1" + address
	case address == "off":
		return nil, cleanup, errors.New("--http off: run asks the program there when it is ready")
	default:
		r.address = address
	}
	if _, given := r.given("state-dir"); !given && r.cluster.embedded != nil {
		dir, err := os.MkdirTemp("", "streamgen-state-")
		if err != nil {
			return nil, cleanup, err
		}
		cleanup = func() { os.RemoveAll(dir) }
		args = append(args, "--state-dir", dir)
	}
	return append(args, r.Args...), cleanup, nil
}

// given finds a flag of the program among the user's arguments for it.
func (o *Options) given(flag string) (value string, ok bool) {
	for i, a := range o.Args {
		if a == "--"+flag && i+1 < len(o.Args) {
			return o.Args[i+1], true
		}
		if v, ok := strings.CutPrefix(a, "--"+flag+"="); ok {
			return v, true
		}
	}
	return "", false
}

// freeAddress is a local address that nobody listens at. Somebody could before the program does; then it says so and ends.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// sinks are the output topics to show.
func (o *Options) sinks() (map[string]*plan.Topic, error) {
	byLabel := map[string]*plan.Topic{}
	for _, s := range o.Plan.SubTopologies {
		for _, f := range s.Funcs {
			for _, op := range f.Ops {
				if send, ok := op.(*plan.Send); ok && send.Sink != nil {
					byLabel[send.Sink.Label] = send.Topic
				}
			}
		}
	}
	var labels []string
	for l := range byLabel {
		labels = append(labels, l)
	}
	slices.Sort(labels)
	wanted := o.Show
	if wanted == nil {
		wanted = labels
	}
	shown := map[string]*plan.Topic{}
	for _, l := range wanted {
		t := byLabel[strings.TrimPrefix(l, "sink.")]
		if t == nil {
			return nil, fmt.Errorf("there is no sink %q; there are: %s", l, strings.Join(labels, ", "))
		}
		shown[t.Name] = t
	}
	return shown, nil
}

// open opens the inputs, tables apart from streams.
func (o *Options) open() (tables, streams []*reader, err error) {
	isTable, topics := map[string]bool{}, map[string]*plan.Topic{}
	var names []string
	for _, s := range o.Plan.Parts() {
		for _, src := range s.Sources {
			if src.Internal {
				continue
			}
			for _, t := range src.Topics {
				if topics[t.Name] == nil {
					names = append(names, t.Name)
				}
				topics[t.Name] = t
				isTable[t.Name] = isTable[t.Name] || src.Table
			}
		}
	}
	for _, in := range o.Inputs {
		topic := topics[in.Topic]
		if topic == nil {
			topic = o.matching(in.Topic)
		}
		if topic == nil {
			return tables, streams, fmt.Errorf("nothing reads the topic %q; there are: %s", in.Topic, strings.Join(names, ", "))
		}
		r, err := in.open(topic)
		if err != nil {
			return tables, streams, err
		}
		if isTable[in.Topic] {
			tables = append(tables, r)
		} else {
			streams = append(streams, r)
		}
	}
	return tables, streams, nil
}

// matching is a topic of a pattern as a source reads it.
func (o *Options) matching(name string) *plan.Topic {
	for _, s := range o.Plan.SubTopologies {
		for _, src := range s.Sources {
			if src.Pattern != "" && matches(src.Pattern, name) {
				return &plan.Topic{Name: name, Kind: plan.Input, Key: src.Key, Value: src.Value}
			}
		}
	}
	return nil
}

func closeAll(lists ...[]*reader) {
	for _, l := range lists {
		for _, r := range l {
			r.close()
		}
	}
}
