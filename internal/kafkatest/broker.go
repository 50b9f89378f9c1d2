// Package kafkatest gives tests a cluster: a real Apache Kafka broker out of its Maven jars, or kfake in the process.
//
// Only tests and the tools that break things on purpose import it. A real broker needs Java 17 and Maven; where they are
// missing tests skip and say so, unless STREAMGEN_REQUIRE_KAFKA=1.
package kafkatest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Config is how a real broker is run. Zero values are the defaults.
type Config struct {
	Dir        string   // of its data, log and settings; required
	Properties []string // more lines of its settings, "key=value"; the last one of a key wins
	Heap       string   // "768m"
	Lasting    bool     // it is worth compiling for speed; what serves some seconds is better there soon
}

// Broker is one node of Apache Kafka, broker and controller in one, on free ports of 127.0.0.1. It keeps ports and data
// over Stop, Kill and Start. Its methods are for one goroutine.
type Broker struct {
	Address string // host:port

	config    Config
	classPath string
	port      int
	control   int
	process   *os.Process
	ended     chan struct{} // closed when the process is gone
}

// defaults are for tests: no waiting where a real cluster waits for more members, a dead broker is forgotten soon, else one
// that was killed could not come back for ten seconds, and records are kept however old their timestamps are.
var defaults = []string{
	"process.roles=broker,controller", "node.id=1", "controller.listener.names=CONTROLLER",
	"auto.create.topics.enable=false", "log.retention.ms=-1", "default.replication.factor=1", "num.partitions=1",
	"offsets.topic.replication.factor=1", "offsets.topic.num.partitions=4",
	"transaction.state.log.replication.factor=1", "transaction.state.log.min.isr=1", "transaction.state.log.num.partitions=4",
	"share.coordinator.state.topic.replication.factor=1", "share.coordinator.state.topic.min.isr=1", "share.coordinator.state.topic.num.partitions=1",
	"group.initial.rebalance.delay.ms=0", "group.min.session.timeout.ms=100",
	"broker.session.timeout.ms=2000", "broker.heartbeat.interval.ms=500",
	"transaction.abort.timed.out.transaction.cleanup.interval.ms=1000",
}

// NewBroker starts a broker and waits until it serves. The error is ErrMissing where there is no Java or no Maven.
func NewBroker(ctx context.Context, c Config) (*Broker, error) {
	if c.Heap == "" {
		c.Heap = "768m"
	}
	classPath, err := jars(ctx)
	if err != nil {
		return nil, err
	}
	if c.Dir, err = filepath.Abs(c.Dir); err != nil {
		return nil, err
	}
	b := &Broker{config: c, classPath: classPath}
	for attempt := 0; ; attempt++ { // a port that was free may be taken before the broker has it
		if b.port, b.control, err = freePorts(); err != nil {
			return nil, err
		}
		b.Address = fmt.Sprintf("127.0.0.1:%d", b.port)
		if err = b.write(); err != nil {
			return nil, err
		}
		if _, formatted := os.Stat(filepath.Join(c.Dir, "data", "meta.properties")); formatted != nil {
			if err = b.format(ctx); err != nil {
				return nil, err
			}
		}
		if err = b.Start(ctx); err == nil || attempt == 2 || !strings.Contains(err.Error(), "Address already in use") {
			return b, err
		}
	}
}

func freePorts() (a, b int, err error) {
	var ports [2]int
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return 0, 0, err
		}
		defer l.Close() // after both are chosen
		ports[i] = l.Addr().(*net.TCPAddr).Port
	}
	return ports[0], ports[1], nil
}

func (b *Broker) path(name string) string { return filepath.Join(b.config.Dir, name) }

func (b *Broker) write() error {
	lines := append(append([]string(nil), defaults...),
		fmt.Sprintf("controller.quorum.voters=1@127.0.0.1:%d", b.control),
		fmt.Sprintf("listeners=PLAINTEXT://%s,CONTROLLER://127.0.0.1:%d", b.Address, b.control),
		"advertised.listeners=PLAINTEXT://"+b.Address,
		"log.dirs="+b.path("data"),
	)
	lines = append(lines, b.config.Properties...)
	if err := os.MkdirAll(b.config.Dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(b.path("server.properties"), []byte(strings.Join(lines, "\n")+"\n"), 0o644)
}

func (b *Broker) format(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "java", "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", b.classPath, "kafka.tools.StorageTool", "format",
		"--cluster-id", "c3RyZWFtZ2VuLWthZmthMQ", "--config", b.path("server.properties")).CombinedOutput()
	if err != nil {
		return fmt.Errorf("kafkatest: format: %w\n%s", err, out)
	}
	return nil
}

// Start starts a broker that was stopped or killed, with the same data on the same port, and waits until it serves.
func (b *Broker) Start(ctx context.Context) error {
	if b.process != nil {
		return errors.New("kafkatest: the broker is running")
	}
	machine := []string{"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"} // half of the processor time of a start, and of some seconds of work
	if b.config.Lasting {
		machine = []string{"-XX:+UseG1GC"}
	}
	log, err := os.Create(b.path("broker.log"))
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command("java", append(machine, "-Xms128m", "-Xmx"+b.config.Heap, "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
		"-Dorg.slf4j.simpleLogger.showDateTime=true", "-cp", b.classPath, "kafka.Kafka", b.path("server.properties"))...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = detached()
	started := make(chan error, 1)
	ended := make(chan struct{})
	go func() {
		// The kernel ends the broker with the thread that started it: nothing stays behind a test that was killed.
		runtime.LockOSThread()
		defer close(ended)
		err := cmd.Start()
		started <- err
		if err == nil {
			cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("kafkatest: java: %w", err)
	}
	b.process, b.ended = cmd.Process, ended
	return b.serving(ctx)
}

// serving waits until the broker answers and counts itself in.
func (b *Broker) serving(ctx context.Context) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(b.Address), kgo.RequestRetries(0), kgo.DialTimeout(time.Second))
	if err != nil {
		return err
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for {
		r, err := kmsg.NewPtrMetadataRequest().RequestWith(ctx, client)
		if err == nil && len(r.Brokers) > 0 {
			return nil
		}
		select {
		case <-b.ended:
			b.process = nil
			return fmt.Errorf("kafkatest: the broker ended:\n%s", b.logTail())
		case <-ctx.Done():
			return fmt.Errorf("kafkatest: the broker does not serve: %w\n%s", ctx.Err(), b.logTail())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (b *Broker) logTail() string {
	text, _ := os.ReadFile(b.path("broker.log"))
	return string(text[max(0, len(text)-4000):])
}

// Stop ends the broker in order; its data stays.
func (b *Broker) Stop() error { return b.end(syscall.SIGTERM) }

// Kill ends the broker at once, as a crash does.
func (b *Broker) Kill() error { return b.end(syscall.SIGKILL) }

func (b *Broker) end(s os.Signal) error {
	if b.process == nil {
		return nil
	}
	b.process.Signal(s)
	select {
	case <-b.ended:
		b.process = nil
		return nil
	case <-time.After(time.Minute):
		return fmt.Errorf("kafkatest: the broker did not end:\n%s", b.logTail())
	}
}

// Pause stops the broker's clock and Resume lets it run on: a broker that hangs.
func (b *Broker) Pause() error { return b.process.Signal(stopSignal) }

// Resume ends a Pause.
func (b *Broker) Resume() error { return b.process.Signal(continueSignal) }
