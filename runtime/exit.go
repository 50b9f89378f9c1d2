package runtime

import (
	"errors"

	"github.com/streamgen/streamgen/runtime/config"
	"github.com/streamgen/streamgen/runtime/engine"
	"github.com/streamgen/streamgen/runtime/kafka"
	"github.com/streamgen/streamgen/runtime/state"
	"github.com/streamgen/streamgen/runtime/task"
	"github.com/streamgen/streamgen/runtime/topology"
)

// exitCode says with which code a process ends that could not go on.
func exitCode(err error) int {
	var (
		settings settingsError
		topics   *kafka.TopicError
		option   *kafka.OptionError
		counts   *topology.CoPartitionError
		record   *task.RecordError
		row      *task.RowError
		large    *engine.RowTooLargeError
		refused  *kafka.RefusedError
		schema   *state.SchemaError
		reset    *engine.ResetError
	)
	switch {
	case errors.As(err, &settings), errors.As(err, &topics), errors.As(err, &option), errors.As(err, &counts):
		return config.ExitConfig
	case errors.As(err, &record), errors.As(err, &row), errors.As(err, &large), errors.As(err, &refused):
		return config.ExitRecord
	case errors.As(err, &schema), errors.As(err, &reset), errors.Is(err, state.ErrForeign), errors.Is(err, state.ErrLocked), errors.Is(err, state.ErrCorrupt):
		return config.ExitState
	}
	return config.ExitInfrastructure
}
