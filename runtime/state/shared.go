package state

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Options are what a process gives to its databases.
type Options struct {
	Memory int64 // bytes for the whole process; see Shared
	Tasks  int   // how many databases will be open at once, about; they share the room for memtables
	Logger *slog.Logger
}

// Shared is what the databases of a process share: the memory, the block cache, the open files.
//
// The memory of the process is divided into 3/16 for Pebble's block cache, of which the memtables of all databases together
// take up to two thirds, 1/16 for rows on their way to Pebble, 6/16 for Budget, which counts overlays, arenas and fetch buffers, and the rest for garbage not collected
// yet, Pebble's own bookkeeping and the Go runtime. Without cgo all of it is Go heap, so the whole is the limit of the Go
// runtime, too (LimitMemory).
type Shared struct {
	Budget *Budget

	memory   int64
	memtable uint64 // bytes a database
	cache    *pebble.Cache
	files    *pebble.FileCache
	fs       vfs.FS
	logger   *slog.Logger
}

const (
	minMemtable = 256 << 10
	maxMemtable = 16 << 20
	openFiles   = 1000
)

// NewShared makes room for a process's databases. Close gives it back, after them.
func NewShared(o Options) *Shared { return newShared(o, vfs.Default) }

func newShared(o Options, fs vfs.FS) *Shared {
	part := o.Memory / 16
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return &Shared{
		Budget:   NewBudget(6 * part),
		memory:   o.Memory,
		memtable: uint64(min(max(part/int64(max(o.Tasks, 1)), minMemtable), maxMemtable)), // two: a full one is being flushed
		cache:    pebble.NewCache(3 * part),                                               // Pebble takes the memtables out of it
		files:    pebble.NewFileCache(1, openFiles),
		fs:       fs,
		logger:   o.Logger,
	}
}

// LimitMemory makes the memory of the process the soft limit of the Go runtime, unless the environment has set one.
func (s *Shared) LimitMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(s.memory)
	}
}

// Remove deletes the database in dir, if there is one. It refuses a directory that holds anything else.
func (s *Shared) Remove(dir string) error {
	entries, err := s.fs.List(dir)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("state in %s: %w", dir, err)
	}
	desc, err := pebble.Peek(dir, s.fs)
	if err != nil || !desc.Exists {
		return fmt.Errorf("remove state in %s: %w", dir, ErrForeign)
	}
	if err := s.fs.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove state in %s: %w", dir, err)
	}
	return nil
}

// Close releases the caches.
func (s *Shared) Close() {
	s.files.Unref()
	s.cache.Unref()
}
