package config

import (
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"time"

	"github.com/streamgen/streamgen/runtime/topology"
)

// raw is a Config being filled in, with what has to be put together at the end.
type raw struct {
	Config
	tls                          bool
	tlsCA, tlsCert, tlsKey, host string
	passwordFile                 string
}

// setting is one name and what a value of it does.
type setting struct {
	name   string
	arg    string // what the value is, for help; "" is a switch
	deflt  string // applied first, and shown by help
	doc    string
	secret bool // not as a flag: the process list shows flags to everybody
	set    func(c *raw, value string) error
}

// env is the name of the setting's environment variable.
func (s *setting) env() string {
	return "STREAMGEN_" + strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(s.name))
}

// settings are all settings but those of client options and variables, in the order in which help lists them.
func settings(app string) []setting {
	return []setting{
		{name: "brokers", arg: "HOST:PORT,…", doc: "Kafka brokers to ask first (required)",
			set: func(c *raw, v string) error { return parseBrokers(&c.Brokers, v) }},
		{name: "tls", doc: "connect by TLS; implied by the other tls settings",
			set: func(c *raw, v string) error { return parseBool(&c.tls, v) }},
		{name: "tls-ca", arg: "FILE", doc: "PEM certificates that brokers are checked against, instead of the system's",
			set: func(c *raw, v string) error { c.tlsCA = v; return nil }},
		{name: "tls-cert", arg: "FILE", doc: "PEM certificate of this client (mTLS); read again at each connection",
			set: func(c *raw, v string) error { c.tlsCert = v; return nil }},
		{name: "tls-key", arg: "FILE", doc: "PEM key of tls-cert",
			set: func(c *raw, v string) error { c.tlsKey = v; return nil }},
		{name: "tls-server-name", arg: "NAME", doc: "name in the brokers' certificates, if it is not their host",
			set: func(c *raw, v string) error { c.host = v; return nil }},
		{name: "sasl-mechanism", arg: "NAME", doc: "PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512",
			set: func(c *raw, v string) error {
				return parseOneOf(&c.SASL.Mechanism, strings.ToUpper(v), "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
			}},
		{name: "sasl-user", arg: "NAME", doc: "user name",
			set: func(c *raw, v string) error { c.SASL.User = v; return nil }},
		{name: "sasl-password", arg: "TEXT", doc: "password; by environment or file only", secret: true,
			set: func(c *raw, v string) error { c.SASL.Password = v; return nil }},
		{name: "sasl-password-file", arg: "FILE", doc: "file that holds the password",
			set: func(c *raw, v string) error { c.passwordFile = v; return nil }},
		{name: "client-id", arg: "NAME", deflt: app, doc: "name of this client in the brokers' logs and quotas",
			set: func(c *raw, v string) error { c.Client.ID = v; return nil }},
		{name: "rack", arg: "NAME", doc: "rack or zone of this process: reads from the nearest replica",
			set: func(c *raw, v string) error { c.Client.Rack = v; return nil }},
		{name: "state-dir", arg: "DIR", deflt: "state", doc: "directory of the local state, of this process alone",
			set: func(c *raw, v string) error { c.StateDir = v; return nil }},
		{name: "memory", arg: "SIZE", deflt: "512MiB", doc: "of the whole process: buffers, rows and caches are given what Go leaves of it",
			set: func(c *raw, v string) error { return parseSize(&c.Memory, v, 32<<20, 1<<50) }},
		{name: "workers", arg: "N", deflt: "0", doc: "goroutines that process records; 0: one a processor",
			set: func(c *raw, v string) error { return parseInt(&c.Workers, v, 0, 1024) }},
		{name: "commit-interval", arg: "DURATION", doc: "instead of the program's commit_interval",
			set: func(c *raw, v string) error { return parseDuration(&c.CommitInterval, v, time.Millisecond, time.Hour) }},
		{name: "max-task-idle", arg: "DURATION", deflt: "0s", doc: "how long a task with several inputs waits for one that is caught up, before it goes on with the others",
			set: func(c *raw, v string) error { return parseDuration(&c.MaxTaskIdle, v, 0, 24*time.Hour) }},
		{name: "drain-timeout", arg: "DURATION", deflt: "30s", doc: "how long SIGTERM may take to finish in order",
			set: func(c *raw, v string) error { return parseDuration(&c.DrainTimeout, v, 0, 24*time.Hour) }},
		{name: "http", arg: "ADDRESS", deflt: ":8080", doc: "where /livez /readyz /startupz /metrics are served; off: nowhere",
			set: func(c *raw, v string) error { return parseHTTP(&c.HTTP, v) }},
		{name: "verify", doc: "check the topics, and whether their records lie where their keys belong, instead of running",
			set: func(c *raw, v string) error { return parseBool(&c.Verify, v) }},
		{name: "log-level", arg: "LEVEL", deflt: "info", doc: "debug, info, warn or error",
			set: func(c *raw, v string) error { return parseLevel(&c.LogLevel, v) }},
		{name: "log-format", arg: "FORMAT", deflt: "text", doc: "text or json",
			set: func(c *raw, v string) error { return parseOneOf(&c.LogFormat, v, "text", "json") }},
	}
}

// options are the client options of --set, named as in Kafka's own documentation.
func options() []setting {
	ms := func(name, deflt, doc string, at func(*raw) *time.Duration) setting {
		return setting{name: "set." + name, arg: "MS", deflt: deflt, doc: doc,
			set: func(c *raw, v string) error { return parseMillis(at(c), v) }}
	}
	bytes := func(name, doc string, at func(*raw) *int32) setting {
		return setting{name: "set." + name, arg: "SIZE", doc: doc,
			set: func(c *raw, v string) error { return parseSize32(at(c), v) }}
	}
	return []setting{
		{name: "set.group.instance.id", arg: "NAME", doc: "static membership: a restart under this name moves no partition",
			set: func(c *raw, v string) error { c.Client.GroupInstanceID = v; return nil }},
		bytes("fetch.min.bytes", "a fetch waits for this much", func(c *raw) *int32 { return &c.Client.FetchMinBytes }),
		bytes("fetch.max.bytes", "of one fetch", func(c *raw) *int32 { return &c.Client.FetchMaxBytes }),
		bytes("max.partition.fetch.bytes", "of one partition in one fetch", func(c *raw) *int32 { return &c.Client.PartitionBytes }),
		ms("fetch.max.wait.ms", "500", "how long a fetch waits for fetch.min.bytes; partitions that join meanwhile wait, too", func(c *raw) *time.Duration { return &c.Client.FetchMaxWait }),
		ms("linger.ms", "5", "how long a record waits for others of its batch", func(c *raw) *time.Duration { return &c.Client.Linger }),
		bytes("batch.size", "largest batch; bounded by max.message.bytes of the topics", func(c *raw) *int32 { return &c.Client.BatchMaxBytes }),
		{name: "set.compression.type", arg: "NAME", doc: "of what is produced: none, gzip, snappy, lz4 or zstd",
			set: func(c *raw, v string) error {
				return parseOneOf(&c.Client.Compression, v, "none", "gzip", "snappy", "lz4", "zstd")
			}},
		ms("session.timeout.ms", "", "after this a silent member leaves the group", func(c *raw) *time.Duration { return &c.Client.SessionTimeout }),
		ms("heartbeat.interval.ms", "", "between heartbeats", func(c *raw) *time.Duration { return &c.Client.Heartbeat }),
		ms("rebalance.timeout.ms", "", "how long members may take to give partitions back", func(c *raw) *time.Duration { return &c.Client.RebalanceTimeout }),
		ms("request.timeout.ms", "", "how long an answer may take", func(c *raw) *time.Duration { return &c.Client.RequestTimeout }),
		ms("socket.connection.setup.timeout.ms", "", "how long a connection may take", func(c *raw) *time.Duration { return &c.Client.DialTimeout }),
		ms("connections.max.idle.ms", "", "idle connections are closed after this", func(c *raw) *time.Duration { return &c.Client.ConnIdle }),
		ms("metadata.max.age.ms", "", "how old knowledge of topics may be", func(c *raw) *time.Duration { return &c.Client.MetadataMaxAge }),
	}
}

// variableSettings are the program's runtime variables as settings.
func variableSettings(vs []topology.Variable) []setting {
	var out []setting
	for _, v := range vs {
		out = append(out, setting{name: "var." + v.Name, arg: v.Type, doc: "variable of the program",
			set: func(_ *raw, value string) error { return v.Set(value) }})
	}
	return out
}

func parseBrokers(to *[]string, v string) error {
	*to = nil
	for s := range strings.SplitSeq(v, ",") {
		s = strings.TrimSpace(s)
		if _, port, err := net.SplitHostPort(s); err != nil || port == "" {
			return fmt.Errorf("%q is not host:port", s)
		}
		*to = append(*to, s)
	}
	return nil
}

func parseHTTP(to *string, v string) error {
	if v == "off" {
		*to = ""
		return nil
	}
	if _, _, err := net.SplitHostPort(v); err != nil {
		return fmt.Errorf("%q is not an address: write host:port, :port, or off", v)
	}
	*to = v
	return nil
}

func parseLevel(to *slog.Level, v string) error {
	var name string
	if err := parseOneOf(&name, v, "debug", "info", "warn", "error"); err != nil {
		return err
	}
	return to.UnmarshalText([]byte(name))
}

// finish puts together what more than one setting says.
func (c *raw) finish() []error {
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if c.tls || c.tlsCA != "" || c.tlsCert != "" || c.tlsKey != "" || c.host != "" {
		var err error
		if c.TLS, err = newTLS(c.tlsCA, c.tlsCert, c.tlsKey, c.host); err != nil {
			errs = append(errs, err)
		}
	}
	if c.passwordFile != "" {
		if c.SASL.Password != "" {
			fail("sasl-password and sasl-password-file are both set: which one is it?")
		} else if b, err := os.ReadFile(c.passwordFile); err != nil {
			fail("sasl-password-file: %w", err)
		} else {
			c.SASL.Password = strings.TrimRight(string(b), "\r\n")
		}
	}
	switch s := &c.SASL; {
	case s.Mechanism == "" && (s.User != "" || s.Password != "" || c.passwordFile != ""):
		fail("sasl-mechanism is not set, but a user or password is")
	case s.Mechanism != "" && (s.User == "" || s.Password == ""):
		fail("sasl-mechanism %s needs sasl-user, and sasl-password by environment or file", s.Mechanism)
	case s.Mechanism == "PLAIN" && c.TLS == nil:
		c.Warnings = append(c.Warnings, "sasl-mechanism PLAIN without tls sends the password as it is")
	}
	return errs
}
