package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// storesPass gives each table its state. A source table has one too when only its changes are read: an update that changes
// nothing must be told from one that does. One that nobody reads is gone from the graph.
func (p *planner) storesPass() {
	var tables []*node
	for _, n := range p.nodes {
		if n.hasStore() {
			tables = append(tables, n)
		}
	}
	slices.SortStableFunc(tables, func(a, b *node) int { return a.rank - b.rank })
	named := map[string]diag.Range{}
	defer p.shareStores()
	for _, n := range tables {
		label, at := n.storeLabel()
		if other, ok := named[label]; ok {
			p.diags.Errorf("SG1210", at, "two stores have the name %q", label).
				WithDetail("a store without a step of its own has the name of its table, and names are those of the whole app").
				WithHint("name one of them: store \"…\" {}").
				WithRelated(other, "the other one is here")
		}
		named[label] = at
		if n.kind == waitNode {
			p.waitStore(n, label)
			continue
		}
		if n.block.Kind == model.GlobalTable {
			p.globalStore(n, label)
			continue
		}
		if n.kind == sideNode {
			p.sideStore(n, label)
			continue
		}
		if n.kind == subscribedNode {
			p.subscriptionsStore(n, label)
			continue
		}
		if n.kind == sourceNode {
			p.addStore(n, &Store{Name: label, Kind: Times, Key: Format{Name: "string", Type: types.String}, Value: types.Timestamp})
			continue
		}
		if d, ok := n.step.(*model.Dedup); ok {
			p.addStore(n, &Store{Name: label, Kind: Recent, Key: dedupKey(d), Value: types.Timestamp})
			continue
		}
		s := &Store{Name: label, Kind: KeyValue, Key: *n.rawKey, Value: types.NonNull(n.reader.Value)}
		s.Key.Type = types.NonNull(s.Key.Type)
		s.Reuses = n.step == nil && n.block.Source != nil && n.block.Source.Reuse
		if n.named != nil {
			s.TTL = n.named.TTL
		}
		s.windowed(n)
		s.suppresses(n)
		if n.block.History > 0 {
			s.Kind, s.History = Versioned, n.block.History
		}
		if a, ok := n.step.(*model.Aggregate); ok {
			s.shape(a, n.pairs)
		}
		s.Panes = p.paned(n, s)
		p.addStore(n, s)
	}
}

// addStore completes the store of a node.
func (p *planner) addStore(n *node, s *Store) {
	s.ID, s.Origin, s.Make = len(p.plan.Stores), n.block.Address(), n.step
	s.Changelog = p.plan.App + "-" + s.Name + "-changelog"
	if s.Reuses {
		s.Changelog = n.block.Source.Topics[0]
	}
	s.Fingerprint = s.fingerprint()
	n.store = s
	p.plan.Stores = append(p.plan.Stores, s)
}

// hasStore says whether the node has a store of its own.
func (n *node) hasStore() bool {
	return n.kind == putNode || n.kind == updateNode && n.group == nil || n.kind == dedupNode || n.kind == waitNode || n.kind == sideNode || n.kind == suppressNode ||
		n.kind == subscribedNode || n.partitionTimes()
}

// storeLabel is the name of the node's store, and what gives it.
func (n *node) storeLabel() (string, diag.Range) {
	switch n.kind {
	case suppressNode:
		return n.block.Label + "-suppress", n.pos()
	case dedupNode:
		return n.block.Label + "-dedup", n.pos()
	case subscribedNode:
		return needLabel(n) + "-subscriptions", n.pos()
	case sourceNode:
		return n.block.Label + "-time", n.eventTime().Pos
	case waitNode:
		return needLabel(n) + "-grace", n.pos()
	case sideNode:
		return needLabel(n) + [...]string{"-left", "-right"}[n.side], n.pos()
	}
	if n.named != nil {
		return n.named.Label, n.named.Pos
	}
	return n.block.Label + n.suffix, n.block.Pos
}

// dedupKey is how the keys of a dedup lie in its store: what has no format of its own lies there as the engine has it.
func dedupKey(d *model.Dedup) Format {
	t := types.NonNull(d.By.Base().Type)
	name, ok := types.NaturalFormat(t)
	if !ok {
		name = "row"
	}
	return Format{Name: name, Type: t}
}

// fingerprint is a digest of how key and row lie in the store. It depends on all names and types in them, so that rows which
// would be misread are not read.
func (s *Store) fingerprint() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nkey %s%s ", s.fingerprintKind(), s.Key.Name, s.Key.Inner)
	writeShape(&b, s.Key.Type)
	b.WriteString("\nrow ")
	writeShape(&b, s.Row())
	if s.Kind == Waiting {
		fmt.Fprintf(&b, "\nwaiting 1 %d", s.Make.(*model.Join).Grace.Milliseconds())
	}
	if s.Join != nil {
		b.WriteString("\n" + joinShape(s.Join))
	}
	if s.Reuses { // positions in one topic mean nothing in another
		b.WriteString("\nof the source")
	}
	for _, c := range s.Cells {
		fmt.Fprintf(&b, "\n%s %s %s", c.Func, c.Field, c.Beside)
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:8])
}

// writeShape writes a type with all that its binary form depends on. Names of records do not count: their fields do.
func writeShape(b *strings.Builder, t types.Type) {
	switch t := t.(type) {
	case *types.Record:
		b.WriteByte('{')
		for _, f := range t.Fields {
			b.WriteString(f.Name)
			b.WriteByte(':')
			writeShape(b, f.Type)
			b.WriteByte(',')
		}
		b.WriteByte('}')
	case *types.Optional:
		b.WriteByte('?')
		writeShape(b, t.Elem)
	case *types.List:
		b.WriteString("[]")
		writeShape(b, t.Elem)
	case *types.Map:
		b.WriteString("map")
		writeShape(b, t.Elem)
	case *types.Windowed:
		fmt.Fprintf(b, "windowed%d,%d", t.Kind, t.Size)
		writeShape(b, t.Key)
	case *types.Enum:
		b.WriteString("enum") // by name: a value added later changes nothing for the rows that are there
	default:
		b.WriteString(t.String())
	}
}
