package oracle_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/streamgen/streamgen/codegen/oracle"
	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/codegen/vectors"
	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/spec"
	"github.com/streamgen/streamgen/spec/check"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// TestRandomTopologies holds generated programs to the oracle: random specs, all in one binary, with random inputs, over topics of one
// partition and of several, each of which is an oracle of its own. They are played undisturbed, with aborts, crashes and hand-overs at
// each record, and with commits at other times. STREAMGEN_ORACLE_SPECS asks for that many specs, STREAMGEN_ORACLE_SEED begins elsewhere.
func TestRandomTopologies(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	var pairs []vectors.Pair
	first := fromEnv("STREAMGEN_ORACLE_SEED", 1)
	sent, wrong := 0, 0
	for seed := first; seed < first+fromEnv("STREAMGEN_ORACLE_SPECS", 20); seed++ {
		name := "seed-" + strconv.Itoa(seed)
		text := specOf(uint64(seed))
		u := spec.Load(fstest.MapFS{"app.hcl": {Data: []byte(text)}}, ".", check.Options{})
		if u.Diags.HasErrors() {
			wrong++ // a constant that divides by zero, a case that is settled
			continue
		}
		if p, diags := plan.New(u.Model); diags.HasErrors() || ambiguous(u.Model, p) {
			if diags.HasErrors() {
				t.Fatalf("%s: %v\n%s", name, diags, numbered(text))
			}
			wrong++
			continue
		}
		dir := filepath.Join(work, name)
		n, err := recordRun(u.Model, dir, uint64(seed))
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, numbered(text))
		}
		sent += n
		if err := os.WriteFile(filepath.Join(dir, "app.hcl"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		pairs = append(pairs, vectors.Pair{Name: name, Spec: dir, Dir: dir})
	}
	if wrong > len(pairs)/2 {
		t.Errorf("%d specs are wrong, only %d right", wrong, len(pairs))
	}
	if sent < 20*len(pairs) {
		t.Errorf("%d topologies sent only %d records", len(pairs), sent)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	defer cancel()
	played := 0
	err = vectors.Run(ctx, pairs, vectors.Options{Root: root, Module: "github.com/streamgen/streamgen"}, func(r *vectors.Report) {
		text, err := os.ReadFile(filepath.Join(r.Spec, "app.hcl"))
		if err != nil {
			t.Fatal(err)
		}
		if r.Diags.HasErrors() {
			t.Errorf("%s: %v\n%s", r.Name, r.Diags, numbered(string(text)))
		}
		for _, v := range r.Results {
			played++
			if v.Failure != "" {
				t.Errorf("%s/%s\n%s", r.Name, v.Failure, numbered(string(text)))
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if played < 2*len(pairs) {
		t.Errorf("%d of %d were played", played, 2*len(pairs))
	}
	t.Logf("%d vectors, %d records sent, %d specs wrong", played, sent, wrong)
}

// TestRandomPlans takes many more random specs as far as the plan, which panics if it does not hold what the emitter relies on. Of those that
// the oracle cannot judge there are few.
func TestRandomPlans(t *testing.T) {
	planned, open := 0, 0
	for seed := range uint64(3000) {
		text := specOf(seed)
		u := spec.Load(fstest.MapFS{"app.hcl": {Data: []byte(text)}}, ".", check.Options{})
		if u.Diags.HasErrors() {
			continue
		}
		p, diags := plan.New(u.Model)
		if diags.HasErrors() {
			t.Fatalf("seed %d: %v\n%s", seed, diags, numbered(text))
		}
		if planned++; ambiguous(u.Model, p) {
			open++
		}
		for _, b := range u.Model.Blocks {
			if b.Source != nil && !slices.ContainsFunc(p.Topics, func(in *plan.Topic) bool { return in.Name == b.Source.Topics[0] }) {
				t.Fatalf("seed %d: nothing reads %s\n%s", seed, b.Address(), numbered(text))
			}
		}
	}
	if planned < 1500 {
		t.Errorf("%d specs were planned", planned)
	}
	if open*10 > planned*3 {
		t.Errorf("%d of %d specs are ambiguous", open, planned)
	}
}

func fromEnv(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

func numbered(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = fmt.Sprintf("%4d  %s", i+1, lines[i])
	}
	return strings.Join(lines, "\n")
}

// recordRun writes a scenario with what the oracle says of random inputs: of topics with one partition, and of such with several.
func recordRun(m *model.Program, dir string, seed uint64) (sent int, err error) {
	w := &recorder{scenario: map[string]any{}, types: map[string]any{}}
	inputs, outputs, stores := map[string]any{}, map[string]any{}, map[string]any{}
	for _, b := range m.Blocks {
		if b.Source != nil {
			in := w.topic(b.Source.Key.Type, b.Source.Value.Type, false)
			in["global"] = b.Kind == model.GlobalTable
			inputs[b.Source.Topics[0]] = in
		}
	}
	for _, s := range m.Sinks {
		outputs[s.Topic] = w.topic(s.Key.Type, s.Value.Type, s.From.Block.Kind == model.Table && !s.From.Late && !versioned(s.From.Block))
	}
	for name, rows := range storesOf(m) {
		stores[name] = w.topic(rows.Key, rows.Value, false)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	var list []any
	for _, n := range []int32{1, 3} {
		o, err := oracle.NewPartitioned(m, int(n), func(key []byte) int { return int(record.Partition(key, n)) })
		if err != nil {
			return 0, err
		}
		w.Rand = rand.New(rand.NewPCG(seed, 11))
		more, lines, err := w.run(m, o, slices.Sorted(maps.Keys(stores)))
		if err != nil {
			return 0, err
		}
		sent += more
		file := fmt.Sprintf("random-%d.jsonl", n)
		if err := os.WriteFile(filepath.Join(dir, file), lines, 0o644); err != nil {
			return 0, err
		}
		list = append(list, map[string]any{"file": file, "drops": o.Dropped(), "partitions": n})
	}
	scenario, err := json.Marshal(map[string]any{
		"name": m.App.Label, "types": w.types, "inputs": inputs, "outputs": outputs, "stores": stores, "by_topic": true, "commits": commits(m),
		"vectors": list,
	})
	if err != nil {
		return 0, err
	}
	return sent, os.WriteFile(filepath.Join(dir, "scenario.json"), scenario, 0o644)
}

// run feeds an oracle with random records.
func (w *recorder) run(m *model.Program, o *oracle.Oracle, stores []string) (sent int, lines []byte, err error) {
	ts := int64(0)
	for range 40 {
		ts += w.Int64N(8)
		line, n, stopped, err := o.Line(w.input(m, max(0, ts-w.Int64N(5)*w.Int64N(6))))
		if err != nil {
			return 0, nil, err
		}
		lines = append(append(lines, line...), '\n')
		if sent += n; stopped {
			return sent, lines, nil
		}
	}
	line, err := o.StoresLine(stores)
	return sent, append(lines, line...), err
}

// versioned says whether the changes of a table may be those of older versions, behind which a topic does not have the rows of now.
func versioned(b *model.Block) bool {
	return b.History > 0 || len(b.From) == 1 && versioned(b.From[0].Block)
}

// storesOf are the tables that surely have a store: those that are made, and sources that are looked into.
func storesOf(m *model.Program) map[string]model.Schema {
	all := map[string]model.Schema{}
	for _, b := range m.Blocks {
		if b.Kind != model.Table || b.Source != nil {
			continue
		}
		if len(b.From) == 1 && b.From[0].Block.Kind == model.Table && len(b.Steps) > 0 {
			if _, holds := b.Steps[len(b.Steps)-1].(*model.Suppress); holds {
				continue // it knows what it sent
			}
		}
		named := false
		for _, s := range b.Steps {
			if st, ok := s.(*model.Store); ok {
				all[st.Label], named = st.Out, true
			}
		}
		if w := b.Window; w != nil && w.Kind == model.Hopping && b.Emit == model.EmitFinal && !named {
			continue // its rows may be of panes
		}
		if !named && (b.From[0].Block.Kind != model.Table || b.From[0].Late) { // others are worked out from rows of others
			all[b.Label] = b.Out
		}
	}
	return all
}

type recorder struct {
	*rand.Rand
	scenario map[string]any
	types    map[string]any
}

func (w *recorder) topic(key, value types.Type, table bool) map[string]any {
	return map[string]any{"key": w.key(key), "value": w.typ(value), "table": table}
}

// key is the type of a key in a scenario.
func (w *recorder) key(t types.Type) any {
	k, ok := types.WindowedOf(t)
	if !ok {
		return w.typ(t)
	}
	size := k.Size
	if k.Kind == types.UnlimitedWindows {
		size = math.MaxInt64
	}
	switch k.Kind {
	case types.SlidingWindows:
		return map[string]any{"windowed": "sliding", "inner": w.typ(k.Key), "difference_ms": size}
	case types.SessionWindows:
		return map[string]any{"windowed": "session", "inner": w.typ(k.Key)}
	}
	return map[string]any{"windowed": "time", "inner": w.typ(k.Key), "size_ms": size}
}

// typ is the name of a type in a scenario.
func (w *recorder) typ(t types.Type) string {
	switch t := types.NonNull(t).(type) {
	case *types.Record:
		name := "R" + strconv.Itoa(len(w.types)) + t.Name
		if t.Name != "" {
			name = t.Name
		}
		if w.types[name] != nil {
			return name
		}
		w.types[name] = true
		var fields []any
		for _, f := range t.Fields {
			fields = append(fields, map[string]any{"name": f.Name, "type": w.typ(f.Type), "optional": types.IsOptional(f.Type)})
		}
		w.types[name] = map[string]any{"fields": fields}
		return name
	case types.Basic:
		if t != types.Timestamp {
			return t.String()
		}
	}
	return "string"
}

// input is a record for one of the sources.
func (w *recorder) input(m *model.Program, ts int64) oracle.Record {
	var sources []*model.Block
	for _, b := range m.Blocks {
		if b.Source != nil {
			sources = append(sources, b)
		}
	}
	b := sources[w.IntN(len(sources))]
	r := oracle.Record{Topic: b.Source.Topics[0], Timestamp: ts}
	text := func(v any) json.RawMessage {
		b, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		return b
	}
	r.Key = text([]string{"a", "b", "c"}[w.IntN(3)])
	if types.NonNull(b.Source.Key.Type) == types.Int64 {
		r.Key = text(w.IntN(3))
	}
	if w.IntN(12) == 0 {
		r.Key = text(nil)
	}
	r.Value = text(w.value(types.NonNull(b.Source.Value.Type)))
	if w.IntN(7) == 0 {
		r.Value = text(nil)
	}
	for range w.IntN(3) / 2 * (1 + w.IntN(2)) {
		r.Headers = append(r.Headers, oracle.Header{Key: []string{"h", "gone", "x"}[w.IntN(3)], Value: []byte{byte('a' + w.IntN(3))}})
	}
	return r
}

func (w *recorder) value(t types.Type) any {
	switch t := t.(type) {
	case *types.Optional:
		if w.IntN(3) == 0 {
			return nil
		}
		return w.value(t.Elem)
	case *types.Record:
		made := map[string]any{}
		for _, f := range t.Fields {
			if v := w.value(f.Type); v != nil {
				made[f.Name] = v
			}
		}
		return made
	case *types.Enum:
		return t.Values[w.IntN(len(t.Values))]
	}
	switch t {
	case types.Bool:
		return w.IntN(2) == 0
	case types.Int32, types.Int64:
		if w.IntN(30) == 0 {
			return int64(2147483647)
		}
		return w.IntN(9) - 3
	case types.Float64:
		return float64(w.IntN(17)-8) / 4
	case types.Timestamp:
		return time.UnixMilli(int64(w.IntN(60))).UTC().Format("2006-01-02T15:04:05.000Z")
	}
	return []string{"a", "b", "a/b", "1", "12", "", "c/a/c", "Äb"}[w.IntN(8)]
}

func isJoin(s model.Step) bool {
	switch s.(type) {
	case *model.Join, *model.StreamJoin, *model.TableJoin, *model.GlobalJoin:
		return true
	}
	return false
}

// commits says what of a program does not depend on when it commits. Where records of several topics meet, and in a join, their
// order does.
func commits(m *model.Program) string {
	all := "outputs"
	for _, b := range m.Blocks {
		if len(b.From) > 1 {
			return ""
		}
		if slices.ContainsFunc(b.Steps, isJoin) {
			return ""
		}
		if b.Emit == model.EmitUpdates {
			all = "rows"
			if slices.ContainsFunc(b.Steps, func(s model.Step) bool { _, ok := s.(*model.Suppress); return ok }) {
				return "" // it goes by the changes that it sees
			}
		}
		if len(b.From) == 1 && b.From[0].Block.Emit == model.EmitUpdates {
			return "" // how many changes it sees
		}
	}
	return all
}
