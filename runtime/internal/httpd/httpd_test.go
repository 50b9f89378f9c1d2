package httpd

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/streamgen/streamgen/runtime/engine"
	"github.com/streamgen/streamgen/runtime/task"
	"github.com/streamgen/streamgen/runtime/topology"
)

var shop = &topology.Topology{
	App:       "shop",
	Topics:    []topology.Topic{{Name: "orders", Kind: topology.Input}, {Name: "shop-x-repartition", Kind: topology.Repartition}, {Name: "out", Kind: topology.Output}},
	Positions: []task.Position{{Address: "stream.orders"}},
}

func serve(t *testing.T) *Server {
	t.Helper()
	s, err := Listen("127.0.0.1:0", shop)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func get(t *testing.T, s *Server, path string) (int, string) {
	t.Helper()
	r, err := http.Get("http://" + s.Address + path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(b)
}

// TestProbesBeforeTheEngine: a process that is still looking for its topics lives, but has not started.
func TestProbesBeforeTheEngine(t *testing.T) {
	s := serve(t)
	for path, want := range map[string]int{"/livez": 200, "/startupz": 503, "/readyz": 503, "/": 404} {
		if code, body := get(t, s, path); code != want || want != 404 && body != "starting\n" {
			t.Errorf("%s: %d %q, want %d", path, code, body, want)
		}
	}
}

func TestMetrics(t *testing.T) {
	s := serve(t)
	if _, body := get(t, s, "/metrics"); !strings.Contains(body, `streamgen_phase{app="shop",phase="starting"} 1`) {
		t.Errorf("without an engine: %s", body)
	}
	e, err := engine.New(shop, engine.Config{StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	stats := e.Stats()
	s.Watch(stats)
	stats.Topics[0].In.Add(7)
	stats.Topics[2].Out.Add(5)
	stats.Commits.Add(3)
	stats.CommitNanos.Add(1_500_000_000)
	code, body := get(t, s, "/metrics")
	if code != 200 {
		t.Fatalf("%d %s", code, body)
	}
	for _, want := range []string{
		`streamgen_records_in_total{app="shop",topic="orders"} 7`,
		`streamgen_records_in_total{app="shop",topic="shop-x-repartition"} 0`,
		`streamgen_records_out_total{app="shop",topic="out"} 5`,
		`streamgen_commits_total{app="shop"} 3`,
		`streamgen_commit_seconds_total{app="shop"} 1.5`,
		`go_goroutines `,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(body, `streamgen_records_out_total{app="shop",topic="orders"}`) || strings.Contains(body, `streamgen_records_in_total{app="shop",topic="out"}`) {
		t.Error("counts what cannot be")
	}
}
