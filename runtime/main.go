package runtime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/streamgen/streamgen/runtime/config"
	"github.com/streamgen/streamgen/runtime/engine"
	"github.com/streamgen/streamgen/runtime/internal/httpd"
	"github.com/streamgen/streamgen/runtime/kafka"
)

// Main is a generated program's main: it reads the settings, serves health and metrics, prepares the topics and runs the
// engine until the process is told to end. It does not return: the exit code is one of package config.
func Main(t *Topology) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, t, os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}

// prepareTimeout is how long brokers may be out of reach when a process starts.
const prepareTimeout = time.Minute

// run is Main with everything that is the process's own given.
func run(ctx context.Context, t *Topology, args, environ []string, stdout, stderr io.Writer) int {
	c, err := config.Load(t, args, environ)
	if errors.Is(err, config.ErrHelp) {
		config.Usage(stdout, t)
		return config.ExitDrained
	}
	if err != nil {
		fmt.Fprintf(stderr, "%v\n", err)
		return config.ExitConfig
	}
	log := newLogger(c, stderr).With("app", t.App)
	slog.SetDefault(log)
	for _, w := range c.Warnings {
		log.Warn(w)
	}
	if c.Verify {
		if err := verify(ctx, t, c, log, stdout); err != nil {
			log.Error("not verified", "error", err)
			return exitCode(err)
		}
		return config.ExitDrained
	}
	if err := serve(ctx, t, c, log); err != nil {
		log.Error("stopped", "error", err)
		return exitCode(err)
	}
	log.Info("drained")
	return config.ExitDrained
}

func newLogger(c *config.Config, w io.Writer) *slog.Logger {
	o := &slog.HandlerOptions{Level: c.LogLevel}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}

// settingsError is about settings, though found after they were read.
type settingsError struct{ error }

func (e settingsError) Unwrap() error { return e.error }

// serve runs the process until ctx is done and it has drained.
func serve(ctx context.Context, t *Topology, c *config.Config, log *slog.Logger) error {
	var web *httpd.Server
	if c.HTTP != "" {
		var err error
		if web, err = httpd.Listen(c.HTTP, t); err != nil {
			return settingsError{fmt.Errorf("http: %w", err)}
		}
		defer web.Close()
		log.Info("serving", "http", web.Address)
	}
	options := kafka.Options(c, log)
	topics, err := prepare(ctx, options, t, log)
	if err != nil || topics == nil {
		return err
	}
	e, err := engine.New(t, engine.Config{
		Client:            append(options, topics.Options(c.Client.BatchMaxBytes)...),
		StateDir:          c.StateDir,
		Workers:           c.Workers,
		CommitInterval:    c.CommitInterval,
		Memory:            c.Memory,
		MaxTaskIdle:       c.MaxTaskIdle,
		LimitMemory:       true,
		InstanceID:        c.Client.GroupInstanceID,
		SessionTimeout:    c.Client.SessionTimeout,
		RebalanceTimeout:  c.Client.RebalanceTimeout,
		HeartbeatInterval: c.Client.Heartbeat,
		DeleteRetention:   topics.DeleteRetention,
		Logger:            log,
	})
	if err != nil {
		return settingsError{err}
	}
	if web != nil {
		web.Watch(e.Stats())
	}
	return drained(ctx, e, c.DrainTimeout)
}

// verify checks the live topics and prints what was found to be right.
func verify(ctx context.Context, t *Topology, c *config.Config, log *slog.Logger, stdout io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, prepareTimeout)
	defer cancel()
	r, err := kafka.Verify(ctx, kafka.Options(c, log), t, log)
	if err != nil {
		return err
	}
	for _, w := range r.Warnings {
		log.Warn(w)
	}
	for _, s := range r.Samples {
		fmt.Fprintf(stdout, "topic %q: %d partitions, %d records looked at, partitioner %s\n", s.Topic, s.Partitions, s.Records, s.Partitioner)
	}
	return nil
}

// prepare is kafka.Prepare for as long as brokers may be out of reach. It returns nil if the process was told to end.
func prepare(ctx context.Context, options kafka.ClientOptions, t *Topology, log *slog.Logger) (*kafka.Topics, error) {
	limited, cancel := context.WithTimeout(ctx, prepareTimeout)
	defer cancel()
	topics, err := kafka.Prepare(limited, options, t, log)
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil
		}
		return nil, fmt.Errorf("preparing the topics: %w", err)
	}
	for _, w := range topics.Warnings {
		log.Warn(w)
	}
	return topics, nil
}

// drained runs the engine. Once ctx is done it has the timeout to finish.
func drained(ctx context.Context, e *engine.Engine, timeout time.Duration) error {
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(timeout):
		return fmt.Errorf("not drained within %s (drain-timeout): what was not committed is processed again", timeout)
	}
}
