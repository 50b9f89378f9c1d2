package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamgen/streamgen/bench/p1/orders"
	"github.com/streamgen/streamgen/internal/kafkatest"
)

// cluster is the Kafka that the programs share.
type cluster struct {
	kind, address string
	client        *kgo.Client
	admin         *kadm.Client
	pid           int // of a broker that was started here; 0: not known
	stop          func()
}

// connect starts a broker, or goes to those that are named.
func (o *options) connect(ctx context.Context, dir string) (*cluster, error) {
	c := &cluster{kind: "Kafka at " + o.brokers, address: o.brokers, stop: func() {}}
	switch {
	case o.brokers != "":
	case o.kafka:
		b, err := kafkatest.NewBroker(ctx, kafkatest.Config{Dir: filepath.Join(dir, "kafka"), Lasting: true})
		if err != nil {
			return nil, err
		}
		c.kind, c.address = "a real Kafka broker", b.Address
		c.stop = func() {
			if err := b.Kill(); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		}
	default:
		if err := c.startFake(filepath.Join(dir, "kfake")); err != nil {
			return nil, err
		}
	}
	var err error
	c.client, err = kgo.NewClient(kgo.SeedBrokers(strings.Split(c.address, ",")...), kgo.ProducerBatchCompression(kgo.NoCompression()),
		kgo.MetadataMinAge(50*time.Millisecond))
	if err != nil {
		c.stop()
		return nil, err
	}
	c.admin = kadm.NewClient(c.client)
	return c, nil
}

func (c *cluster) startFake(binary string) error {
	cmd := exec.Command(binary)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	c.stop = func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		c.stop()
		return fmt.Errorf("kfake: %w", err)
	}
	c.kind, c.address, c.pid = "kfake in a process of its own", strings.TrimSpace(line), cmd.Process.Pid
	return nil
}

func (c *cluster) close() {
	c.client.Close()
	c.stop()
}

func (c *cluster) create(ctx context.Context, topic string) error {
	_, err := c.admin.CreateTopic(ctx, partitions, 1, nil, topic)
	if err != nil {
		return err
	}
	for { // a broker knows a topic some time after it was made
		d, err := c.admin.ListTopics(ctx, topic)
		if err != nil {
			return err
		}
		if len(d[topic].Partitions) == partitions && d.Error() == nil {
			return nil
		}
	}
}

func (c *cluster) remove(topic string) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if _, err := c.admin.DeleteTopic(ctx, topic); err != nil {
		fmt.Fprintf(os.Stderr, "topic %s stays: %v\n", topic, err)
	}
}

func (c *cluster) feed(ctx context.Context, topic string, n int) error {
	var failed error
	done := make(chan error, 1)
	source := orders.New()
	for range n {
		o := source.Next()
		c.client.Produce(ctx, &kgo.Record{Topic: topic, Key: o.Key, Value: o.Value, Timestamp: time.UnixMilli(o.Timestamp)},
			func(_ *kgo.Record, err error) {
				if err != nil {
					select {
					case done <- err:
					default:
					}
				}
			})
	}
	failed = c.client.Flush(ctx)
	select {
	case err := <-done:
		return err
	default:
		return failed
	}
}

// measure runs a program until it has committed all of its input and adds what it took to r.
func (c *cluster) measure(ctx context.Context, records int, binary string, args []string, run run, r *result) (d digest, err error) {
	if err := c.create(ctx, run.out); err != nil {
		return d, err
	}
	defer c.remove(run.out)
	defer func() { err = errors.Join(err, os.RemoveAll(run.state)) }()
	brokerBefore := cpuOf(c.pid)
	var log bytes.Buffer
	cmd := exec.Command(binary, args...)
	cmd.Stdout, cmd.Stderr = &log, &log
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return d, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	if err := c.consumed(ctx, run.app, int64(records), ended); err != nil {
		_ = cmd.Process.Kill() // it may have ended
		return d, fmt.Errorf("%w\n%s", err, log.Bytes())
	}
	seconds := time.Since(start).Seconds()
	rss := peakRSS(cmd.Process.Pid)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return d, err
	}
	select {
	case err = <-ended:
	case <-time.After(time.Minute):
		_ = cmd.Process.Kill() // it may have ended
		err = errors.New("it does not end")
	}
	if err != nil {
		return d, fmt.Errorf("%w\n%s", err, log.Bytes())
	}
	million := float64(records) / 1e6
	r.cpu = append(r.cpu, (cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()).Seconds()/million)
	r.broker = append(r.broker, (cpuOf(c.pid)-brokerBefore)/million)
	r.seconds = append(r.seconds, seconds)
	r.rss = append(r.rss, rss)
	return c.digest(ctx, run.out)
}

// consumed waits until a group has committed n offsets.
func (c *cluster) consumed(ctx context.Context, group string, n int64, ended chan error) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			return fmt.Errorf("it ended before its input did: %w", errors.Join(err, errors.New(group)))
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		offsets, err := c.admin.FetchOffsets(ctx, group)
		if err != nil {
			continue // the group is not there yet
		}
		sum := int64(0)
		offsets.Each(func(o kadm.OffsetResponse) { sum += max(0, o.At) })
		if sum == n {
			return nil
		}
	}
}

// digest is what a topic holds, whatever the order of its partitions.
type digest struct {
	records int
	sum     uint64
}

var seed = maphash.MakeSeed()

// digest reads the committed records of a topic.
func (c *cluster) digest(ctx context.Context, topic string) (d digest, err error) {
	ends, err := c.admin.ListCommittedOffsets(ctx, topic)
	if err == nil {
		err = ends.Error()
	}
	if err != nil {
		return d, err
	}
	left := map[int32]int64{}
	from := map[int32]kgo.Offset{}
	ends.Each(func(o kadm.ListedOffset) {
		if o.Offset > 0 {
			left[o.Partition], from[o.Partition] = o.Offset, kgo.NewOffset().AtStart()
		}
	})
	client, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(c.address, ",")...), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.KeepControlRecords(), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: from}))
	if err != nil {
		return d, err
	}
	defer client.Close()
	var h maphash.Hash
	h.SetSeed(seed)
	for len(left) > 0 {
		fetches := client.PollFetches(ctx)
		if err := errors.Join(ctx.Err(), fetches.Err()); err != nil {
			return d, err
		}
		fetches.EachRecord(func(r *kgo.Record) {
			if !r.Attrs.IsControl() {
				h.Reset()
				h.Write(r.Key)
				h.WriteByte(byte(r.Partition))
				h.Write(r.Value)
				d.records++
				d.sum += h.Sum64()
			}
			if r.Offset+1 >= left[r.Partition] {
				delete(left, r.Partition)
			}
		})
	}
	return d, nil
}

// cpuOf is what a running process has used, in seconds; 0 where that cannot be read.
func cpuOf(pid int) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	var user, system float64 // in ticks, of which a second has 100 on Linux
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if _, err := fmt.Sscan(fields[11]+" "+fields[12], &user, &system); err != nil && err != io.EOF {
		return 0
	}
	return (user + system) / 100
}

// peakRSS is the most memory a running process has had, in MiB; 0 where that cannot be read. What the system says about an
// ended process counts its parent's memory, too.
func peakRSS(pid int) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		var kib float64
		if n, _ := fmt.Sscanf(line, "VmHWM: %f kB", &kib); n == 1 {
			return kib / 1024
		}
	}
	return 0
}
