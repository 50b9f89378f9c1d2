package vectors

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/streamgen/streamgen/runtime/testdriver"
)

// commits plays a vector with commits at other times than after each record, and with crashes and hand-overs between them, and says what
// differs from the whole of the vector: outputs topic by topic, and the final rows.
func (s *Scenario) commits(v *Vector, begin beginner) string {
	intervals := []int{2, 5, 1000}
	if s.Commits == commitsTables {
		intervals = []int{1, 7, 1000}
	}
	for _, every := range intervals {
		for _, crashes := range []bool{false, true} {
			if crashes && s.Commits == commitsTables && len(s.Inputs) > 1 {
				continue // the order of topics may be another when they are read again
			}
			r := &run{Scenario: s, vector: v, rows: map[string]string{}}
			if err := r.atOnce(begin, every, crashes); err != nil {
				return fmt.Sprintf("with a commit every %d records, crashes %t: %v", every, crashes, err)
			}
		}
	}
	return ""
}

// atOnce feeds all records, each to the first sub-topologies only, and processes what is left at the end.
func (r *run) atOnce(begin beginner, every int, crashes bool) error {
	steps, err := r.steps(r.vector.File)
	if err != nil {
		return err
	}
	subject, err := begin(testdriver.Options{CommitEvery: every})
	if err != nil {
		return err
	}
	defer subject.Close()
	d, ok := subject.(*testdriver.Driver)
	if !ok {
		return nil
	}
	r.driver = d
	whole := step{text: "the whole run"}
	for i := range steps {
		st := &steps[i]
		if st.In == "" {
			continue
		}
		if st.Error != "" {
			return nil // how far the others came by then is open
		}
		rec, err := r.input(st)
		if err != nil {
			return err
		}
		if err := d.Pipe(st.In, rec); err != nil {
			return err
		}
		if _, err := d.Step(); err != nil {
			return err
		}
		if crashes && i%4 == 3 {
			if err := []func() error{d.Crash, d.CrashBeforeApply, d.CrashAndLoseState, d.Abort, d.HandOver}[i/4%5](); err != nil {
				return err
			}
		}
		whole.Out = append(whole.Out, st.Out...)
	}
	if err := d.Run(); err != nil {
		return err
	}
	var m *mismatch
	err = r.outputs(&whole)
	if r.Commits == commitsOutputs && err != nil || errors.As(err, &m) && m.always {
		return err
	}
	if err := r.tables(&whole); err != nil {
		return err
	}
	for i := range steps {
		if steps[i].Stores == nil {
			continue
		}
		if err := r.stores(&steps[i]); err != nil {
			return err
		}
	}
	return nil
}

// tables compares the rows that outputs which are tables end with, however many changes were sent on the way.
func (r *run) tables(whole *step) error {
	ends := map[string]string{}
	for _, o := range whole.Out {
		topic := r.Outputs[o.Topic]
		if !topic.Table {
			continue
		}
		key, err := r.canonical(topic.Key, o.Key)
		if err != nil {
			return err
		}
		value, err := r.canonical(topic.Value, o.Value)
		if err != nil {
			return err
		}
		if name := rowName(o.Topic, key); value == "null" {
			delete(ends, name)
		} else {
			ends[name] = rowText(value, o.TS)
		}
	}
	if maps.Equal(ends, r.rows) {
		return nil
	}
	list := func(rows map[string]string) (lines []string) {
		for _, name := range slices.Sorted(maps.Keys(rows)) {
			lines = append(lines, name+" "+rows[name])
		}
		return lines
	}
	return &mismatch{text: fmt.Sprintf("%s: other rows of outputs at the end\n%s", r.vector.File, diff(list(ends), list(r.rows)))}
}
