package engine

import (
	"context"
	"time"

	"github.com/streamgen/streamgen/runtime/kafka"
)

// Rows of windows expire without a tombstone each. What the changelogs hold of them is deleted now and then: up to the first record of a
// row that is left, as the stores say. That is an offset of committed and applied epochs, so nothing that a restore would want is
// deleted, and whoever restores meanwhile begins behind it.

// purgeInterval is how often a worker looks for what can be deleted.
const purgeInterval = 30 * time.Second

// purgeIfDue deletes what changelogs of the worker's tasks hold of rows that have expired, if its time has come. A broker that is slow
// to do so keeps nobody waiting.
func (w *worker) purgeIfDue() {
	if w.dead || time.Since(w.purged) < w.engine.purgeInterval() {
		return
	}
	w.purged = time.Now()
	var list []kafka.Offset
	for _, o := range w.tasks {
		for _, p := range o.task.Stores.Expired() {
			s := storeByID(w.engine.topology.SubTopologies[o.id.sub].Stores, p.Store)
			list = append(list, kafka.Offset{Topic: s.Changelog, Partition: o.task.Partition, At: p.Next})
		}
	}
	if len(list) == 0 {
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(w.engine.ctx, purgeInterval)
		defer cancel()
		if err := kafka.DeleteBefore(ctx, w.engine.ends.client, list); err != nil && ctx.Err() == nil {
			w.log.Warn("rows that have expired are still in a changelog", "error", err)
		}
	}()
}

func (e *Engine) purgeInterval() time.Duration {
	if e.config.PurgeInterval > 0 {
		return e.config.PurgeInterval
	}
	return purgeInterval
}
