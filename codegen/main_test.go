package codegen_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain lets the heap grow: what these tests generate is many times what they keep.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
