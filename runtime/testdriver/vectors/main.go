package vectors

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/streamgen/streamgen/runtime/topology"
)

// Case is a topology that a test binary has linked in.
type Case struct {
	Name     string
	Topology func() *topology.Topology
}

// Main is the main of a test binary. The arguments are pairs of a case's name and the directory of its scenario; standard
// output gets a Result a line, in that order.
func Main(cases []Case) {
	debug.SetGCPercent(800) // each vector is played by drivers of its own, and little outlives one
	if err := play(cases, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

// play runs the cases on all processors, each topology on one at a time: its runtime variables are the package's own.
func play(cases []Case, args []string, w io.Writer) error {
	type job struct {
		name, dir string
		top       func() *topology.Topology
		done      chan []Result
	}
	var jobs []job
	for i := 0; i+1 < len(args); i += 2 {
		at := slices.IndexFunc(cases, func(c Case) bool { return c.Name == args[i] })
		if at < 0 {
			return fmt.Errorf("vectors: no topology %q is linked in", args[i])
		}
		jobs = append(jobs, job{args[i], args[i+1], cases[at].Topology, make(chan []Result, 1)})
	}
	work := make(chan job)
	for range runtime.GOMAXPROCS(0) {
		go func() {
			for j := range work {
				j.done <- Run(j.name, j.top, os.DirFS(j.dir))
			}
		}()
	}
	go func() {
		defer close(work)
		for _, j := range jobs {
			work <- j
		}
	}()
	enc := json.NewEncoder(w)
	for _, j := range jobs {
		for _, r := range <-j.done {
			if err := enc.Encode(r); err != nil {
				return err
			}
		}
	}
	return nil
}
