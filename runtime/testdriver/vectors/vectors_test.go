package vectors

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/streamgen/streamgen/runtime/internal/sample"
	"github.com/streamgen/streamgen/runtime/task"
	"github.com/streamgen/streamgen/runtime/topology"
)

const scenario = `{
  "name": "counts",
  "types": {"Count": {"fields": [{"name": "n", "type": "int64"}, {"name": "name", "type": "string", "optional": true}]}},
  "inputs": {"in": {"key": "string", "value": "string"}, "names": {"key": "string", "value": "string"}},
  "outputs": {"out": {"key": "string", "value": "Count", "table": true}},
  "stores": {"counts": {"kind": "timestamped_key_value", "key": "string", "value": "int64"}},
  "vectors": [{"file": "VECTOR", "inputs": 2, "dropped": 1}]
}`

// good is a vector that the sample topology plays.
const good = `{"in":"names","key":"a","value":"Ann","ts":1,"out":[]}
{"in":"in","key":null,"value":"a","ts":5,"headers":[["h","x"],["n",null]],"out":[{"topic":"out","key":"a","value":{"n":1,"name":"Ann"},"ts":5,"headers":[["h","x"],["n",null]]}]}

{"in":"in","key":null,"value":null,"ts":6,"out":[]}
{"advance_wall_clock_ms":1000,"out":[]}
{"in":"in","key":null,"value":"a","ts":3,"out":[{"topic":"out","key":"a","value":{"n":2.0,"name":"Ann"},"ts":5}, {"topic":"out","key":"a","value":{"n":2,"name":"Ann"},"ts":5,"redundant":true}]}
{"stores":{"counts":[{"key":"a","value":2,"ts":5}]}}
`

func files(name, vector string) fstest.MapFS {
	return fstest.MapFS{"scenario.json": {Data: []byte(strings.Replace(scenario, "VECTOR", name, 1))}, name: {Data: []byte(vector)}}
}

func counts() *topology.Topology {
	var limit string
	return sample.Counts(&limit)
}

func play1(t *testing.T, name, vector string) Result {
	t.Helper()
	results := Run("counts", counts, files(name, vector))
	if len(results) != 1 {
		t.Fatalf("got %v", results)
	}
	return results[0]
}

func TestGood(t *testing.T) {
	r := play1(t, "v.jsonl", good)
	if r.Failure != "" || r.Inputs != 4 || r.Outputs != 2 || r.LeftOut != 1 {
		t.Errorf("got %+v", r)
	}
}

// TestPacked: the same vector gzipped, and in one archive.
func TestPacked(t *testing.T) {
	plain := files("v.jsonl", good)
	gzipped := fstest.MapFS{}
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for name, f := range plain {
		var b bytes.Buffer
		g := gzip.NewWriter(&b)
		g.Write(f.Data)
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
		gzipped[name+".gz"] = &fstest.MapFile{Data: b.Bytes()}
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(f.Data)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]fstest.MapFS{"gz": gzipped, "zip": {"vectors.zip": {Data: archive.Bytes()}}} {
		r := Run("counts", counts, dir)
		if len(r) != 1 || r[0].Failure != "" || r[0].Inputs != 4 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestWhatDiffersIsFound(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"value":         {`{"n":1,`, `{"n":2,`, `- {"topic":"out","key":"a","value":{"n":2,"name":"Ann"},"ts":5,"headers":[["h","x"],["n",null]]}`},
		"what came":     {`{"n":1,`, `{"n":2,`, `+ {"topic":"out","key":"a","value":{"n":1,"name":"Ann"},"ts":5,"headers":[["h","x"],["n",null]]}`},
		"line":          {`{"n":1,`, `{"n":2,`, "v.jsonl:2: other outputs"},
		"timestamp":     {`"Ann"},"ts":5,"headers"`, `"Ann"},"ts":6,"headers"`, "other outputs"},
		"header":        {`"out":[{"topic":"out","key":"a","value":{"n":1,"name":"Ann"},"ts":5,"headers":[["h","x"],["n",null]]}]`, `"out":[{"topic":"out","key":"a","value":{"n":1,"name":"Ann"},"ts":5,"headers":[["n",null],["h","x"]]}]`, "other outputs"},
		"no output":     {`"value":null,"ts":6,"out":[]`, `"value":null,"ts":6,"out":[{"topic":"out","key":"a","value":{"n":2},"ts":5}]`, "other outputs"},
		"field order":   {`{"n":1,"name":"Ann"}`, `{"name":"Ann","n":1}`, "name of Count stands where n belongs"},
		"rows":          {`"value":2,"ts":5}]}}`, `"value":3,"ts":5}]}}`, `v.jsonl:7: other rows in store "counts"`},
		"row's time":    {`"value":2,"ts":5}]}}`, `"value":2,"ts":6}]}}`, `other rows in store "counts"`},
		"another store": {`{"stores":{"counts"`, `{"stores":{"sums"`, `the scenario has no store "sums"`},
		"error":         {`{"advance_wall_clock_ms":1000,"out":[]}`, `{"advance_wall_clock_ms":1000,"out":[],"error":"IllegalStateException"}`, "should have stopped (IllegalStateException)"},
		"an output":     {`"value":null,"ts":6`, `"value":"a","ts":6`, `+ {"topic":"out","key":"a","value":{"n":2,"name":"Ann"},"ts":6}`},
	} {
		t.Run(name, func(t *testing.T) {
			if strings.Count(good, c.old) != 1 {
				t.Fatalf("the vector does not hold %q once", c.old)
			}
			r := play1(t, "v.jsonl", strings.Replace(good, c.old, c.new, 1))
			if !strings.Contains(r.Failure, c.want) {
				t.Errorf("got\n%s\nwant %s", r.Failure, c.want)
			}
		})
	}
}

func TestDropped(t *testing.T) {
	// Without its null the vector drops nothing, where scenario.json says one.
	r := play1(t, "v.jsonl", strings.Replace(good, `{"in":"in","key":null,"value":null,"ts":6,"out":[]}`, "", 1))
	if !strings.Contains(r.Failure, "0 records were dropped, should be 1") {
		t.Errorf("got %q", r.Failure)
	}
}

// TestForeignOnly: a ks-only vector may differ, which is told; what changes nothing is a fault there, too.
func TestForeignOnly(t *testing.T) {
	r := play1(t, "ks-only-v.jsonl", strings.Replace(good, `{"n":1,`, `{"n":7,`, 1))
	if r.Failure != "" || !strings.Contains(r.Differs, "ks-only-v.jsonl:2: other outputs") || r.Inputs != 4 {
		t.Errorf("got %+v", r)
	}
	top := func() *topology.Topology {
		t := counts()
		t.SubTopologies[0].Sources[0].Topics = []uint16{3} // what the program writes comes back: each record doubles
		t.SubTopologies = t.SubTopologies[:1]
		t.SubTopologies[0].New = func(t *task.Task) (task.SubTopology, error) { return &echo{t.Topic(3)}, nil }
		t.Topics[3].Kind = topology.Input
		return t
	}
	s := files("ks-only-v.jsonl", `{"in":"out","key":"a","value":{"n":1},"ts":5,"out":[]}`)
	s["scenario.json"].Data = bytes.Replace(s["scenario.json"].Data, []byte(`"inputs": {`), []byte(`"inputs": {"out": {"key": "string", "value": "Count"}, `), 1)
	results := Run("echo", top, s)
	if !strings.Contains(results[0].Failure, "changes nothing") {
		t.Errorf("got %+v", results[0])
	}
}

func TestAPanicFailsTheVector(t *testing.T) {
	top := func() *topology.Topology {
		t := counts()
		t.SubTopologies[0].New = func(*task.Task) (task.SubTopology, error) { return panics{}, nil }
		return t
	}
	r := Run("panics", top, files("v.jsonl", good))
	if !strings.Contains(r[0].Failure, "panic: at the disco") {
		t.Errorf("got %+v", r[0])
	}
}

func TestBrokenFiles(t *testing.T) {
	for name, dir := range map[string]fstest.MapFS{
		"no scenario": {}, "no JSON": {"scenario.json": {Data: []byte("{")}}, "no vectors": {"scenario.json": {Data: []byte("{}")}},
		"no file":  {"scenario.json": {Data: []byte(`{"vectors":[{"file":"x.jsonl"}]}`)}},
		"bad line": files("v.jsonl", "{\n"), "bad zip": {"vectors.zip": {Data: []byte("x")}}, "nothing": files("v.jsonl", "{}\n"),
		"no topic": files("v.jsonl", `{"in":"x","value":"a","ts":1}`), "bad value": files("v.jsonl", `{"in":"in","value":5,"ts":1}`),
	} {
		if r := Run("x", counts, dir); len(r) != 1 || r[0].Failure == "" {
			t.Errorf("%s: got %+v", name, r)
		}
	}
}

// TestStateOutsideOfStoresIsFound: the undisturbed run cannot tell a count in a store from one in a Go map.
func TestStateOutsideOfStoresIsFound(t *testing.T) {
	top := func() *topology.Topology {
		t := counts()
		t.SubTopologies[0].New = func(t *task.Task) (task.SubTopology, error) { return &forgetful{t.Topic(3), map[string]int{}}, nil }
		t.SubTopologies[1].Sources = t.SubTopologies[1].Sources[1:]
		return t
	}
	line := func(n string) string {
		return `{"in":"in","key":null,"value":"a","ts":5,"out":[{"topic":"out","key":"a","value":{"n":` + n + `},"ts":5}]}` + "\n"
	}
	s := files("v.jsonl", line("1")+line("2")+line("3"))
	s["scenario.json"].Data = bytes.Replace(s["scenario.json"].Data, []byte(`, "dropped": 1`), nil, 1)
	r := Run("forgetful", top, s)
	if !strings.Contains(r[0].Failure, "with aborts, crashes and hand-overs: v.jsonl:") {
		t.Errorf("got %+v", r[0])
	}
}
