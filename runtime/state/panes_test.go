package state

import "testing"

// Sums of panes are, over random records with commits, aborts, restarts and lost disks at random times, what a plain map of windows
// over all records gives, and as many windows are late.
func TestPanesModel(t *testing.T) {
	seeds := uint64(60)
	if testing.Short() {
		seeds = 20
	}
	for seed := range seeds {
		windowedCase(t, seed, false, true)
	}
	for seed := uint64(1000); seed < 1008; seed++ {
		windowedCase(t, seed, true, true)
	}
}
