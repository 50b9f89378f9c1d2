package plan

import "slices"

// aheadPass finds the stores in which the row of each record of a source is looked up, or nearly each, by its key as it was read. Such rows
// can be read ahead for a batch of records. What a filter may end before is left out: rows that nobody looks up are better not read.
func (p *planner) aheadPass() {
	for _, s := range p.plan.SubTopologies {
		for _, source := range s.Sources {
			if source.Entry != nil {
				source.ahead(source.Entry)
			}
		}
	}
}

func (s *Source) ahead(f *Func) {
	for _, op := range f.Ops {
		switch op := op.(type) {
		case *Decode, *DropNullKey, *DropNullValue, *EventTime, *MapValues, *Peek, *RowFilter, *RowMap, *Newest, *LookupGlobal, *Age, *Send:
		case *Put:
			s.looksInto(op.Store)
		case *Update:
			s.looksInto(op.Store)
		case *Lookup:
			s.rows(Rows{Store: op.Store, View: op.View})
		case *JoinRows:
			s.rows(op.Other)
		case *Get:
			s.rows(op.Rows)
		case *GetJoined:
			s.rows(op.Left)
			s.rows(op.Right)
		case *Call:
			for _, to := range op.To {
				s.ahead(to)
			}
		default: // the record may have another key behind it, or end
			return
		}
	}
}

func (s *Source) rows(r Rows) {
	if r.Store != nil {
		s.looksInto(r.Store)
	} else {
		s.ahead(r.View)
	}
}

func (s *Source) looksInto(st *Store) {
	if st.Kind == KeyValue && !slices.Contains(st.Ahead, s) {
		st.Ahead = append(st.Ahead, s)
	}
}
