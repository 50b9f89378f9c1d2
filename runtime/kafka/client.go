// Package kafka is the runtime's way to a Kafka cluster: the client's options out of a process's settings, and the topics
// that must be there before a program runs.
//
// It stands below engine, which makes the clients of a process (group, producers, restore) from these options.
package kafka

import (
	"context"
	"log/slog"
	"time"

	"github.com/streamgen/streamgen/runtime/config"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// ClientOptions are options of the client. Beside this package and engine nobody knows it.
type ClientOptions = []kgo.Opt

// Options are what all clients of a process have in common. The client's memory pools stay off: records of a fetch are
// viewed for as long as anybody likes, so their memory belongs to the garbage collector.
func Options(c *config.Config, log *slog.Logger) ClientOptions {
	opts := []kgo.Opt{
		kgo.SeedBrokers(c.Brokers...),
		kgo.ClientID(c.Client.ID),
		kgo.SoftwareNameAndVersion("streamgen", "1"),
		kgo.WithLogger(logger{log}),
		// A start waits for news of topics it has just made; the client's own 5 s would be the longest part of it.
		kgo.MetadataMinAge(100 * time.Millisecond),
		kgo.ProducerLinger(c.Client.Linger),
	}
	if c.TLS != nil {
		opts = append(opts, kgo.DialTLSConfig(c.TLS))
	}
	if c.SASL.Mechanism != "" {
		opts = append(opts, kgo.SASL(mechanism(c.SASL)))
	}
	o := &c.Client
	opts = text(opts, o.Rack, kgo.Rack)
	opts = number(opts, o.FetchMinBytes, kgo.FetchMinBytes)
	if o.FetchMaxBytes > 0 {
		opts = append(opts, kgo.FetchMaxBytes(o.FetchMaxBytes))
		if o.FetchMaxBytes > 100<<20 { // the client's limit on an answer
			opts = append(opts, kgo.BrokerMaxReadBytes(o.FetchMaxBytes+o.FetchMaxBytes/8))
		}
	}
	opts = number(opts, o.PartitionBytes, kgo.FetchMaxPartitionBytes)
	opts = number(opts, o.FetchMaxWait, kgo.FetchMaxWait)
	opts = number(opts, o.RequestTimeout, kgo.RequestTimeoutOverhead)
	opts = number(opts, o.DialTimeout, kgo.DialTimeout)
	opts = number(opts, o.ConnIdle, kgo.ConnIdleTimeout)
	opts = number(opts, o.MetadataMaxAge, kgo.MetadataMaxAge)
	if codec, ok := codecs[o.Compression]; ok {
		opts = append(opts, kgo.ProducerBatchCompression(codec))
	}
	return opts
}

var codecs = map[string]kgo.CompressionCodec{
	"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
	"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
}

// text and number add an option that was set.
func text[O kgo.Opt](opts []kgo.Opt, v string, f func(string) O) []kgo.Opt {
	if v == "" {
		return opts
	}
	return append(opts, f(v))
}

func number[N int32 | time.Duration, O kgo.Opt](opts []kgo.Opt, v N, f func(N) O) []kgo.Opt {
	if v == 0 {
		return opts
	}
	return append(opts, f(v))
}

func mechanism(s config.SASL) sasl.Mechanism {
	auth := scram.Auth{User: s.User, Pass: s.Password}
	switch s.Mechanism {
	case "SCRAM-SHA-256":
		return auth.AsSha256Mechanism()
	case "SCRAM-SHA-512":
		return auth.AsSha512Mechanism()
	}
	return plain.Auth{User: s.User, Pass: s.Password}.AsMechanism()
}

// logger gives the client's messages to slog. What the client calls information is of interest to nobody who does not debug
// it.
type logger struct{ to *slog.Logger }

var levels = map[kgo.LogLevel]slog.Level{
	kgo.LogLevelError: slog.LevelError, kgo.LogLevelWarn: slog.LevelWarn,
	kgo.LogLevelInfo: slog.LevelDebug, kgo.LogLevelDebug: slog.LevelDebug - 4,
}

// Level implements kgo.Logger.
func (l logger) Level() kgo.LogLevel {
	for _, level := range []kgo.LogLevel{kgo.LogLevelDebug, kgo.LogLevelInfo, kgo.LogLevelWarn, kgo.LogLevelError} {
		if l.to.Enabled(context.Background(), levels[level]) {
			return level
		}
	}
	return kgo.LogLevelNone
}

// Log implements kgo.Logger.
func (l logger) Log(level kgo.LogLevel, message string, keyvals ...any) {
	l.to.Log(context.Background(), levels[level], "kafka client: "+message, keyvals...)
}
