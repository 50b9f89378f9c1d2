// Package engine runs a topology as one process of a consumer group: it owns membership and assignment, the workers with their
// transactions, restore, revocation and drain.
//
// It stands between task, which knows records and epochs but no broker, and the generated main. The order of every commit,
// restore and revocation is written down in protocol.go, step by step, each with a failpoint.
package engine

import (
	"log/slog"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Config is what belongs to a process, not to the program. Zero values are the defaults.
type Config struct {
	// Client holds the connection: brokers, TLS, SASL, client id and any other option that is about connections. It goes to
	// each client of the process (group, producers, restore).
	Client []kgo.Opt

	// StateDir holds the process id and a database for each task with stores. Required.
	StateDir string

	Workers        int           // goroutines with a transaction each; 0: GOMAXPROCS
	CommitInterval time.Duration // 0: the topology's
	Memory         int64         // budget of the process in bytes: fetch buffers, epochs, rows, caches; 0: 256 MiB

	// LimitMemory makes Memory the soft limit of the Go runtime as well, unless GOMEMLIMIT is set: for a program that is alone
	// in its process.
	LimitMemory bool

	// MaxTaskIdle is how long a task waits for a source without records that is known to be caught up, before it goes on with
	// the others. 0: not at all.
	MaxTaskIdle time.Duration

	// InstanceID makes the process a static member of the group.
	InstanceID string

	SessionTimeout    time.Duration // of the group; 0: 45 s
	RebalanceTimeout  time.Duration // how long a rebalance may take; a revocation takes half of it at most; 0: 60 s
	HeartbeatInterval time.Duration // 0: 3 s

	// DeleteRetention is delete.retention.ms of the changelogs: a disk that was last written before that is not trusted,
	// because deletes may have been compacted away meanwhile. 0: 24 h, Kafka's default.
	DeleteRetention time.Duration

	// PurgeInterval is how often changelogs of windows are looked at for rows that have expired. 0: 30 s.
	PurgeInterval time.Duration

	Logger *slog.Logger // nil: slog.Default()
}

const (
	// transactionTimeout is how long a transaction of a process that died keeps readers of its topics waiting, at most.
	transactionTimeout = 10 * time.Second

	defaultMemory = 256 << 20
)
