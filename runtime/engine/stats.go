package engine

import (
	"sync"
	"sync/atomic"

	"github.com/streamgen/streamgen/runtime/task"
	"github.com/streamgen/streamgen/runtime/topology"
)

// Phase is what a process or a task is doing.
type Phase int32

// The phases, in the order in which they are met.
const (
	Starting  Phase = iota
	Restoring       // a task: reads its changelogs; a process: has such a task
	Running
	Draining
	Stopped
)

// String is the phase in lower case.
func (p Phase) String() string {
	return [...]string{"starting", "restoring", "running", "draining", "stopped"}[p]
}

// Stats are the figures of a process. Counters only grow. Reading never waits for a worker.
type Stats struct {
	Topics  []TopicStats   // by index of the topology
	Globals []*GlobalStats // by index of the topology's global tables

	Commits         atomic.Uint64 // transactions, and with at_least_once epochs, that were committed
	OffsetCommits   atomic.Uint64 // epochs that produced nothing and committed their offsets alone
	Aborts          atomic.Uint64
	UnknownOutcomes atomic.Uint64 // commits whose outcome had to be asked for
	Fenced          atomic.Uint64 // commits refused because somebody else owns the task or the transactional id
	ApplyRetries    atomic.Uint64 // committed epochs that had to be written to the state directory again
	Reopened        atomic.Uint64 // tasks closed and restored because that did not help
	Rebalances      atomic.Uint64
	Deleted         atomic.Uint64 // offsets of inputs that were deleted before they were processed
	CommitNanos     atomic.Uint64 // from the hand-over to the applied batch, summed over commits

	Drops task.Drops // by reason and position

	phase atomic.Int32
	mu    sync.Mutex
	tasks []*TaskStats
}

// TopicStats are the figures of one topic. A topic of a pattern counts with none: it has no index.
type TopicStats struct {
	In  atomic.Uint64 // records processed
	Out atomic.Uint64 // records acknowledged by the broker, those of aborted transactions included
}

// TaskStats are the figures of one task.
type TaskStats struct {
	SubTopology string
	Partition   int32
	Phase       atomic.Int32 // a Phase

	Restored     atomic.Int64 // changelog records read since the task was assigned
	RestoreLeft  atomic.Int64 // offsets to the changelogs' ends as they were when the restore began
	Lag          atomic.Int64 // offsets between the ends of the inputs, as last known, and what was processed
	BufferedSize atomic.Int64 // bytes of records fetched and not processed
	Rows         atomic.Int64 // resident rows of its stores
	StateBytes   atomic.Int64 // what they take
}

// GlobalStats are the figures of one global table.
type GlobalStats struct {
	Name string       // "global_table.products"
	Read atomic.Int64 // records read since the process started
	Left atomic.Int64 // offsets to read before the table is complete
	Lag  atomic.Int64 // offsets between the ends of the topic, as last known, and what was read
	Rows atomic.Int64
}

func newStats(t *topology.Topology) *Stats {
	s := &Stats{Topics: make([]TopicStats, len(t.Topics))}
	for i := range t.GlobalTables {
		s.Globals = append(s.Globals, &GlobalStats{Name: t.GlobalTables[i].Source.Name})
	}
	return s
}

// Phase is what the process is doing. It is ready to serve at Running.
func (s *Stats) Phase() Phase { return Phase(s.phase.Load()) }

// Tasks are the tasks the process has now, by sub-topology and partition.
func (s *Stats) Tasks() []*TaskStats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*TaskStats(nil), s.tasks...)
}

func (s *Stats) setTasks(list []*TaskStats) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tasks = list
}
