package httpd

import (
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/streamgen/streamgen/runtime/engine"
	"github.com/streamgen/streamgen/runtime/task"
	"github.com/streamgen/streamgen/runtime/topology"
)

// collector turns the engine's figures into metrics when it is asked, so that counting costs the engine nothing more.
type collector struct {
	topology *topology.Topology
	stats    *atomic.Pointer[engine.Stats]

	phase, in, out, dropped, joined, commitSeconds *prometheus.Desc
	process                                        []processMetric
	task                                           []taskMetric
	global                                         []globalMetric
}

// processMetric and taskMetric are counters and gauges without labels of their own.
type processMetric struct {
	desc *prometheus.Desc
	of   func(*engine.Stats) *atomic.Uint64
}

type taskMetric struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	of   func(*engine.TaskStats) *atomic.Int64
}

// globalMetric is a figure of each global table.
type globalMetric struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	of   func(*engine.GlobalStats) *atomic.Int64
}

func newCollector(t *topology.Topology, stats *atomic.Pointer[engine.Stats]) *collector {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("streamgen_"+name, help, labels, prometheus.Labels{"app": t.App})
	}
	c := &collector{
		topology: t, stats: stats,
		phase:         desc("phase", "1 for the phase the process is in.", "phase"),
		in:            desc("records_in_total", "Records processed, by the topic they came from.", "topic"),
		out:           desc("records_out_total", "Records the broker has acknowledged, by topic; those of aborted transactions included.", "topic"),
		dropped:       desc("records_dropped_total", "Records dropped or skipped in committed work, by reason and step of the spec.", "reason", "step"),
		joined:        desc("join_results_total", "Records and changes that met a row of the other side of a join, or none, in committed work, by step of the spec.", "outcome", "step"),
		commitSeconds: desc("commit_seconds_total", "Time from the end of an epoch until its rows are in the state directory."),
	}
	add := func(name, help string, of func(*engine.Stats) *atomic.Uint64) {
		c.process = append(c.process, processMetric{desc(name, help), of})
	}
	add("commits_total", "Transactions, or epochs with at_least_once, that were committed.", func(s *engine.Stats) *atomic.Uint64 { return &s.Commits })
	add("offset_commits_total", "Epochs that produced nothing and committed their offsets alone.", func(s *engine.Stats) *atomic.Uint64 { return &s.OffsetCommits })
	add("aborts_total", "Epochs that were aborted.", func(s *engine.Stats) *atomic.Uint64 { return &s.Aborts })
	add("unknown_outcomes_total", "Commits whose outcome had to be asked for.", func(s *engine.Stats) *atomic.Uint64 { return &s.UnknownOutcomes })
	add("fenced_total", "Commits refused because another process owns the task.", func(s *engine.Stats) *atomic.Uint64 { return &s.Fenced })
	add("apply_retries_total", "Committed epochs that had to be written to the state directory again.", func(s *engine.Stats) *atomic.Uint64 { return &s.ApplyRetries })
	add("rebalances_total", "Changes of the process's assignment.", func(s *engine.Stats) *atomic.Uint64 { return &s.Rebalances })
	gauge := func(name, help string, of func(*engine.TaskStats) *atomic.Int64) {
		c.task = append(c.task, taskMetric{desc(name, help, "sub_topology", "partition"), prometheus.GaugeValue, of})
	}
	gauge("task_lag", "Offsets between the ends of a task's inputs and what it has processed.", func(t *engine.TaskStats) *atomic.Int64 { return &t.Lag })
	gauge("task_buffered_bytes", "Records fetched and not processed.", func(t *engine.TaskStats) *atomic.Int64 { return &t.BufferedSize })
	gauge("task_restored_records", "Changelog records read since the task was assigned.", func(t *engine.TaskStats) *atomic.Int64 { return &t.Restored })
	gauge("task_restore_left", "Offsets between a restoring task and the ends of its changelogs.", func(t *engine.TaskStats) *atomic.Int64 { return &t.RestoreLeft })
	gauge("task_resident_rows", "Rows of a task's stores in memory.", func(t *engine.TaskStats) *atomic.Int64 { return &t.Rows })
	gauge("task_resident_bytes", "Memory of these rows.", func(t *engine.TaskStats) *atomic.Int64 { return &t.StateBytes })
	table := func(name, help string, kind prometheus.ValueType, of func(*engine.GlobalStats) *atomic.Int64) {
		c.global = append(c.global, globalMetric{desc(name, help, "table"), kind, of})
	}
	table("global_table_rows", "Rows of a global table.", prometheus.GaugeValue, func(t *engine.GlobalStats) *atomic.Int64 { return &t.Rows })
	table("global_table_lag", "Offsets between the ends of its topic and what was read.", prometheus.GaugeValue, func(t *engine.GlobalStats) *atomic.Int64 { return &t.Lag })
	table("global_table_load_left", "Offsets to read before the table is complete.", prometheus.GaugeValue, func(t *engine.GlobalStats) *atomic.Int64 { return &t.Left })
	table("global_table_read_records_total", "Records read since the process started.", prometheus.CounterValue, func(t *engine.GlobalStats) *atomic.Int64 { return &t.Read })
	return c
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.phase, c.in, c.out, c.dropped, c.joined, c.commitSeconds} {
		to <- d
	}
	for _, m := range c.process {
		to <- m.desc
	}
	for _, m := range c.task {
		to <- m.desc
	}
	for _, m := range c.global {
		to <- m.desc
	}
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	send := func(d *prometheus.Desc, kind prometheus.ValueType, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, kind, v, labels...)
	}
	stats := c.stats.Load()
	now := engine.Starting
	if stats != nil {
		now = stats.Phase()
	}
	for p := engine.Starting; p <= engine.Stopped; p++ {
		is := 0.0
		if p == now {
			is = 1
		}
		send(c.phase, prometheus.GaugeValue, is, p.String())
	}
	if stats == nil {
		return
	}
	for i := range stats.Topics {
		topic := &c.topology.Topics[i]
		if topic.Kind != topology.Output {
			send(c.in, prometheus.CounterValue, float64(stats.Topics[i].In.Load()), topic.Name)
		}
		if n := stats.Topics[i].Out.Load(); topic.Kind != topology.Input || n > 0 {
			send(c.out, prometheus.CounterValue, float64(n), topic.Name)
		}
	}
	// Steps of one address and reason are one series: two positions may have the same address.
	type series struct{ reason, step string }
	steps := func(desc *prometheus.Desc, list []task.Drop) {
		counts := map[series]uint64{}
		var order []series
		for _, d := range list {
			s := series{d.Reason, c.topology.Positions[d.At].Address}
			if _, seen := counts[s]; !seen {
				order = append(order, s)
			}
			counts[s] += d.Count
		}
		for _, s := range order {
			send(desc, prometheus.CounterValue, float64(counts[s]), s.reason, s.step)
		}
	}
	steps(c.dropped, stats.Drops.List())
	steps(c.joined, stats.Drops.Outcomes())
	send(c.commitSeconds, prometheus.CounterValue, float64(stats.CommitNanos.Load())/1e9)
	for _, m := range c.process {
		send(m.desc, prometheus.CounterValue, float64(m.of(stats).Load()))
	}
	for _, t := range stats.Globals {
		for _, m := range c.global {
			send(m.desc, m.kind, float64(m.of(t).Load()), strings.TrimPrefix(t.Name, "global_table."))
		}
	}
	for _, t := range stats.Tasks() {
		for _, m := range c.task {
			send(m.desc, m.kind, float64(m.of(t).Load()), t.SubTopology, strconv.Itoa(int(t.Partition)))
		}
	}
}
