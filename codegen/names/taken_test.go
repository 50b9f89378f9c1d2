package names

import (
	"os"
	"testing"
)

// TestPackagesAreTaken: generated files may import any package of the runtime but those that only binaries start with, so none of
// them is the name of something that a spec declares.
func TestPackagesAreTaken(t *testing.T) {
	dirs, err := os.ReadDir("../../runtime")
	if err != nil {
		t.Fatal(err)
	}
	never := set("config", "engine", "internal", "kafka")
	for _, d := range dirs {
		if d.IsDir() && !never[d.Name()] && !Taken(d.Name()) {
			t.Errorf("a table %q gives a type of that name, beside an import of it", d.Name())
		}
	}
	if !Taken("rows") {
		t.Error("row is imported as rows")
	}
}
