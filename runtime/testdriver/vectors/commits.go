package vectors

import (
	"errors"
	"fmt"

	"github.com/streamgen/streamgen/runtime/testdriver"
)

// commits plays a vector with commits at other times than after each record, and with crashes and hand-overs between them, and says what
// differs from the whole of the vector: outputs topic by topic, and the final rows.
func (s *Scenario) commits(v *Vector, begin beginner) string {
	for _, every := range []int{2, 5, 1000} {
		for _, crashes := range []bool{false, true} {
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
	if r.Commits == "outputs" && err != nil || errors.As(err, &m) && m.always {
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
