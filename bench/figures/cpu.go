package figures

import (
	"runtime"
	"syscall"
	"time"
)

// Usage is what the process has used so far.
type Usage struct {
	CPU    time.Duration // user and system
	Allocs uint64        // objects on the heap
}

// Now reads the usage of the process.
func Now() Usage {
	var r syscall.Rusage
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err) // the arguments are constant
	}
	return Usage{time.Duration(r.Utime.Nano() + r.Stime.Nano()), m.Mallocs}
}

// Since is what was used since an earlier reading.
func (u Usage) Since() Usage {
	now := Now()
	return Usage{now.CPU - u.CPU, now.Allocs - u.Allocs}
}
