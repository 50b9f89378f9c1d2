// Package httpd serves what operators ask of a running process: whether it lives, has started and is ready, and its metrics
// in the Prometheus format, all on one port.
//
// It reads the figures of engine and the declaration of topology; nothing on the path of a record knows it.
package httpd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/streamgen/streamgen/runtime/engine"
	"github.com/streamgen/streamgen/runtime/topology"
)

// Server answers from the moment it is made: an orchestrator asks before there is an engine.
type Server struct {
	Address string // as listened on, with its port

	http  http.Server
	stats atomic.Pointer[engine.Stats]
}

// Listen serves at address, host:port. Port 0 is a free one.
func Listen(address string, t *topology.Topology) (*Server, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	s := &Server{Address: l.Addr().String()}
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), newCollector(t, &s.stats))
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /livez", s.probe(func(engine.Phase) bool { return true }))
	mux.HandleFunc("GET /startupz", s.probe(func(p engine.Phase) bool { return p != engine.Starting }))
	mux.HandleFunc("GET /readyz", s.probe(func(p engine.Phase) bool { return p == engine.Running }))
	s.http = http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go s.http.Serve(l)
	return s, nil
}

// Watch gives the server the figures of the engine.
func (s *Server) Watch(stats *engine.Stats) { s.stats.Store(stats) }

// Close waits for answers that are being given, for two seconds.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return s.http.Close()
	}
	return err
}

// probe answers 200 if the phase is a good one, else 503. The body is for people: the phase, and what is being restored.
func (s *Server) probe(good func(engine.Phase) bool) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		phase := engine.Starting
		stats := s.stats.Load()
		if stats != nil {
			phase = stats.Phase()
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		if !good(phase) {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		fmt.Fprintln(w, phase)
		if stats == nil || phase != engine.Restoring {
			return
		}
		for _, t := range stats.Globals {
			if left := t.Left.Load(); left > 0 {
				fmt.Fprintf(w, "%s: %d records read, %d offsets left\n", t.Name, t.Read.Load(), left)
			}
		}
		for _, t := range stats.Tasks() {
			if engine.Phase(t.Phase.Load()) == engine.Restoring {
				fmt.Fprintf(w, "task %s-%d: %d records restored, %d offsets left\n", t.SubTopology, t.Partition, t.Restored.Load(), t.RestoreLeft.Load())
			}
		}
	}
}
