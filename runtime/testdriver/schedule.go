package testdriver

// Waiting is an input of a task that has records which were not processed.
type Waiting struct {
	SubTopology string
	Topic       string
	Partition   int32
}

// scheduled is Step with a Schedule: it processes the next record of the input that the schedule picks, and commits it, so that what it
// sends is in its topics before the next choice.
func (d *Driver) scheduled() (worked bool, err error) {
	var ready []Waiting
	var at []func() error
	for _, w := range d.workers {
		for _, u := range w.list {
			for i, x := range u.inputs {
				if u.fed[i] < int64(len(d.logs[x.topic][u.partition])) {
					ready = append(ready, Waiting{u.sub.Name, x.topic, u.partition})
					at = append(at, func() error { return w.one(u, uint16(i)) })
				}
			}
		}
	}
	if len(ready) == 0 {
		return false, nil
	}
	pick := 0
	if len(ready) > 1 {
		pick = d.options.Schedule(ready)
	}
	return true, at[pick]()
}

// one processes the next record of an input, and all that it sets off in its task.
func (w *worker) one(u *unit, input uint16) error {
	in, x, now := u.task.Inputs(), u.inputs[input], w.driver.nanoseconds()
	next := u.fed[input] + 1
	batch, size := views(w.driver.logs[x.topic][u.partition][next-1:next], input, x.source)
	in.Append(input, batch, size, next, now)
	u.fed[input] = next
	for i, fed := range u.fed { // nothing else has come
		in.SetEnd(uint16(i), fed, now)
	}
	for {
		n, err := w.Process(u.task, now)
		if err != nil {
			return err
		}
		if w.since += n; n == 0 {
			break
		}
	}
	for {
		if worked, err := w.finish(); err != nil || !worked {
			return err
		}
	}
}

// Interleavings runs a program once for each order in which records of its topics may be processed, up to a limit: those of one partition
// stay in their order. run makes a driver with the schedule as its Options.Schedule, and runs it. The orders are the same each time. It
// returns how many runs there were, and whether those are all.
func Interleavings(limit int, run func(schedule func([]Waiting) int) error) (runs int, all bool, err error) {
	var picks, of []int // what was picked at each choice, of how many
	for runs < limit {
		n := 0
		err := run(func(ready []Waiting) int {
			if n == len(picks) {
				picks, of = append(picks, 0), append(of, 0)
			}
			of[n] = len(ready)
			n++
			return picks[n-1]
		})
		runs++
		if err != nil {
			return runs, false, err
		}
		picks, of = picks[:n], of[:n]
		for n > 0 && picks[n-1] == of[n-1]-1 {
			n--
		}
		if n == 0 {
			return runs, true, nil
		}
		picks, of = picks[:n], of[:n]
		picks[n-1]++
	}
	return runs, false, nil
}
