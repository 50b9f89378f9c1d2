package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamgen/streamgen/runtime/internal/failpoint"
	"github.com/streamgen/streamgen/runtime/kafka"
	"github.com/streamgen/streamgen/runtime/state"
	"github.com/streamgen/streamgen/runtime/topology"
)

// Engine is one process of a program.
type Engine struct {
	topology *topology.Topology
	config   Config
	stats    *Stats
	log      *slog.Logger

	ctx    context.Context // ends when the process gives up, not when it drains
	giveUp context.CancelCauseFunc

	users context.Context // of functions of the user's: ends when the process begins to drain, too

	process    *process
	shared     *state.Shared
	globals    *globals // nil: the program has none
	catalog    *catalog
	balancer   *balancer
	aux        *kgo.Client   // metadata, offsets, changelogs
	group      *kgo.Client   // membership, inputs
	joined     chan struct{} // closed once group is set: callbacks of the group wait for it
	workers    []*worker
	marker     *changelogMarker
	changelogs *changelogs
	ends       *ends
	settler    *settler

	inputCount atomic.Int64
	buffered   atomic.Int64                         // bytes fetched and not processed
	pausing    sync.Mutex                           // orders what is paused and what is resumed
	seeks      map[string]map[int32]kgo.EpochOffset // of the polling goroutine: what it sets before it polls

	mu       sync.Mutex
	tasks    map[taskID]*owned
	closing  map[taskID]chan struct{} // of the last owned of each id that was given back
	controls []func()                 // for the polling goroutine
	wakePoll context.CancelFunc
}

// New checks the configuration. The topics of t, changelogs included, must exist before Run (kafka.Prepare makes and checks
// the internal ones).
func New(t *topology.Topology, c Config) (*Engine, error) {
	if c.StateDir == "" {
		return nil, errors.New("engine: no state directory")
	}
	if c.Workers <= 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	if c.CommitInterval <= 0 {
		c.CommitInterval = t.CommitInterval
	}
	if c.CommitInterval <= 0 {
		c.CommitInterval = defaultCommitInterval
	}
	if c.Memory <= 0 {
		c.Memory = defaultMemory
	}
	if c.SessionTimeout <= 0 {
		c.SessionTimeout = defaultSessionTimeout
	}
	if c.RebalanceTimeout <= 0 {
		c.RebalanceTimeout = defaultRebalanceTimeout
	}
	if c.DeleteRetention <= 0 {
		c.DeleteRetention = defaultDeleteRetention
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return &Engine{topology: t, config: c, stats: newStats(t), log: c.Logger,
		tasks: map[taskID]*owned{}, closing: map[taskID]chan struct{}{}}, nil
}

// Stats are the figures of the process, for any goroutine.
func (e *Engine) Stats() *Stats { return e.stats }

// Run works until ctx is done, then drains: what was processed is committed, the tasks are closed, the group is left. It
// returns nil after a drain, else why the process cannot go on. It is called once.
func (e *Engine) Run(ctx context.Context) error {
	e.ctx, e.giveUp = context.WithCancelCause(context.Background())
	defer e.giveUp(nil)
	users, interrupt := context.WithCancel(ctx)
	defer interrupt()
	defer context.AfterFunc(e.ctx, interrupt)()
	e.users = users
	defer e.stats.phase.Store(int32(Stopped))

	err := e.start(ctx)
	if err == nil {
		e.work(ctx)
		err = context.Cause(e.ctx)
	}
	err = errors.Join(err, e.drain(err == nil))
	if err != nil && ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil // told to end before it had begun
	}
	return err
}

// Run is New and Engine.Run.
func Run(ctx context.Context, t *topology.Topology, c Config) error {
	e, err := New(t, c)
	if err != nil {
		return err
	}
	return e.Run(ctx)
}

// start opens all that the process needs. What it has opened is closed by drain, also after an error.
func (e *Engine) start(ctx context.Context) (err error) {
	if e.process, err = openProcess(filepath.Join(e.config.StateDir, e.topology.App)); err != nil {
		return err
	}
	if e.aux, err = kgo.NewClient(append(append([]kgo.Opt{}, e.config.Client...),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(), kgo.ConsumeResetOffset(kgo.NoResetOffset()))...); err != nil {
		return err
	}
	if e.catalog, err = loadCatalog(ctx, e.aux, e.topology); err != nil {
		return err
	}
	tasks := 0
	for _, n := range e.catalog.partitions.Tasks {
		tasks += int(n)
	}
	e.shared = state.NewShared(state.Options{Memory: e.config.Memory, Tasks: tasks + len(e.topology.GlobalTables), Logger: e.log})
	if e.config.LimitMemory {
		e.shared.LimitMemory()
	}
	e.retire()
	if err := e.load(ctx); err != nil {
		return err
	}
	e.balancer = &balancer{catalog: e.catalog, disk: e.process.tasks(), log: e.log}
	e.ends = &ends{client: e.aux, wake: make(chan struct{}, 1)}
	e.settler = &settler{engine: e, wake: make(chan struct{}, 1)}
	e.changelogs = &changelogs{client: e.aux, feeds: map[partitionOf]*feed{}}
	for i := range e.config.Workers {
		w, err := e.startWorker(ctx, i)
		if err != nil {
			return err
		}
		e.workers = append(e.workers, w)
	}
	p, err := e.newProducer(ctx, "restore")
	if err != nil {
		return err
	}
	e.marker = &changelogMarker{producer: p, requests: make(chan markRequest)}
	// The client joins at once, and calls back what may need all of the above and itself.
	e.joined = make(chan struct{})
	defer close(e.joined)
	e.group, err = kgo.NewClient(e.groupOptions()...)
	return err
}

// retire removes the databases that nobody has written for so long that they would not be trusted: of tasks that have moved to
// another process for good, or that the program no longer has.
func (e *Engine) retire() {
	for _, name := range e.process.outdated(time.Now().Add(-e.config.DeleteRetention)) {
		err := e.shared.Remove(e.process.taskDir(name))
		if err != nil {
			e.log.Warn("the outdated state of a task stays", "task", name, "error", err)
			continue
		}
		e.log.Info("removed the outdated state of a task", "task", name, "kept", e.config.DeleteRetention)
	}
}

// newProducer makes a producer whose transactional id a restart of the process has again: what a killed one left open ends here.
func (e *Engine) newProducer(ctx context.Context, name string) (*kafka.Producer, error) {
	c := kafka.ProducerConfig{Client: e.config.Client, Timeout: transactionTimeout}
	if e.topology.Guarantee == topology.ExactlyOnce {
		c.Transactional = e.producerID(name)
	}
	p, err := kafka.NewProducer(c)
	if err != nil {
		return nil, err
	}
	if err := p.Init(ctx); err != nil {
		p.Close()
		return nil, fmt.Errorf("producer %s: %w", name, err)
	}
	return p, nil
}

func (e *Engine) producerID(name string) string {
	return e.topology.App + "-" + e.process.id + "-" + name
}

func (e *Engine) startWorker(ctx context.Context, i int) (*worker, error) {
	name := strconv.Itoa(i)
	p, err := e.newProducer(ctx, name)
	if err != nil {
		return nil, err
	}
	c := &committer{
		ctx: e.ctx, catalog: e.catalog, client: e.aux, member: e.member, owned: e.isOwned, producer: p, id: e.producerID(name),
		once: e.topology.Guarantee == topology.ExactlyOnce, lease: e.config.SessionTimeout / 2, stats: e.stats, log: e.log.With("worker", i),
	}
	w := newWorker(e, c, e.config.CommitInterval)
	w.producer = p
	go w.run()
	return w, nil
}

// work runs until ctx is done or the process gives up.
func (e *Engine) work(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(e.ctx, cancel)
	defer stop()
	var all sync.WaitGroup
	all.Go(func() { e.ends.run(ctx) })
	all.Go(func() { e.settler.run(ctx) })
	all.Go(func() { e.changelogs.run(ctx) })
	all.Go(func() { e.marker.run(ctx) })
	if e.globals != nil {
		all.Go(func() { e.globals.run(ctx) })
	}
	e.log.Info("started", "process", e.process.id, "workers", len(e.workers), "state", e.process.dir)
	e.poll(ctx)
	e.stats.phase.Store(int32(Draining))
	all.Wait()
}

// drain ends the process in order: with commit, what was processed is committed first.
func (e *Engine) drain(commit bool) error {
	e.stats.phase.Store(int32(Draining))
	e.mu.Lock()
	var ids []taskID
	for id := range e.tasks {
		ids = append(ids, id)
	}
	e.mu.Unlock()
	e.giveBack(context.Background(), ids, commit) // whoever ends the process says how long that may take
	failpoint.Hit("drain.committed")
	var all sync.WaitGroup
	for _, w := range e.workers {
		all.Go(func() {
			w.ask(w.end)
			<-w.stopped
			w.producer.Close()
		})
	}
	all.Wait()
	failpoint.Hit("drain.closed")
	if e.group != nil {
		e.group.CloseAllowingRebalance()
	}
	e.giveUp(nil)
	var err error
	if e.globals != nil {
		err = e.globals.close()
	}
	if e.marker != nil {
		e.marker.producer.Close()
	}
	if e.aux != nil {
		e.aux.Close()
	}
	if e.shared != nil {
		e.shared.Close()
	}
	if e.process != nil {
		err = errors.Join(err, e.process.close())
	}
	return err
}

// fail stops the process because of err.
func (e *Engine) fail(err error) {
	e.log.Error("the process cannot go on", "error", err)
	e.giveUp(err)
}

// Defaults.
const (
	defaultCommitInterval  = 100 * time.Millisecond
	defaultDeleteRetention = 24 * time.Hour

	defaultSessionTimeout   = 45 * time.Second
	defaultRebalanceTimeout = 60 * time.Second
)
