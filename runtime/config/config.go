// Package config is what a process is told when it starts, beside its program: where Kafka is and how to be let in, where
// state lies, how much memory it may use, how it logs, and the values of the program's runtime variables.
//
// A setting has one name everywhere: "state-dir" is the flag --state-dir, the variable STREAMGEN_STATE_DIR and the line
// "state-dir = …" of a file named by --config. A flag goes before the environment, the environment before the file. What
// belongs to the program (guarantee, topics, policies) is in its spec and cannot be set here. Nothing is ignored: a name
// that is unknown is an error with the nearest one that is not.
package config

import (
	"crypto/tls"
	"errors"
	"log/slog"
	"time"

	"github.com/streamgen/streamgen/runtime/topology"
)

// Config is a process's settings, checked.
type Config struct {
	Brokers        []string // host:port, at least one
	TLS            *tls.Config
	SASL           SASL
	Client         Client
	StateDir       string
	Memory         int64         // bytes: the budget of the engine (buffers, dirty rows, caches)
	HTTP           string        // address of health and metrics; "" is none
	CommitInterval time.Duration // 0: the program's
	Workers        int           // 0: as many as there are processors
	MaxTaskIdle    time.Duration // how long a task waits for an input that is caught up, before it goes on with the others
	DrainTimeout   time.Duration // how long a signal may take to end the process in order
	LogLevel       slog.Level
	LogFormat      string // "text" or "json"
	Verify         bool   // check the topics, and where records lie in them, instead of running

	// Warnings are about settings that are allowed and probably not meant. The caller logs them.
	Warnings []string
}

// SASL is how the process proves who it is. Mechanism "" is not at all.
type SASL struct {
	Mechanism string // PLAIN, SCRAM-SHA-256, SCRAM-SHA-512
	User      string
	Password  string
}

// String leaves the password out, so that no log has it.
func (s SASL) String() string { return s.Mechanism + " " + s.User }

// Client is the tuning of the Kafka client. Zero is the client's own default, except where a default is given.
type Client struct {
	ID               string // default: the app's name
	Rack             string // of this process: reads from the nearest replica
	GroupInstanceID  string // static membership
	FetchMinBytes    int32
	FetchMaxBytes    int32
	FetchMaxWait     time.Duration
	PartitionBytes   int32 // of one partition in one fetch
	Linger           time.Duration
	BatchMaxBytes    int32
	Compression      string // none, gzip, snappy, lz4, zstd; "" is snappy where the broker has it
	SessionTimeout   time.Duration
	Heartbeat        time.Duration
	RebalanceTimeout time.Duration
	RequestTimeout   time.Duration // beyond what the request itself asks to wait
	DialTimeout      time.Duration
	ConnIdle         time.Duration
	MetadataMaxAge   time.Duration
}

// ErrHelp is returned by Load if help was asked for: print Usage and end.
var ErrHelp = errors.New("config: help requested")

// Load reads the settings of a process: args without the program's name, environ in the form of os.Environ, and the file
// they name. It stores the values of the program's variables. The error lists everything that is wrong, one a line.
func Load(t *topology.Topology, args, environ []string) (*Config, error) {
	l := newLoader(t)
	help := l.flags(args)
	if help {
		return nil, ErrHelp
	}
	l.environment(environ)
	if path, ok := l.given["config"]; ok {
		l.file(path.value)
	}
	c := l.apply()
	if err := errors.Join(l.errs...); err != nil {
		return nil, err
	}
	return c, nil
}
