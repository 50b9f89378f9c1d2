package uuid

import (
	"testing"

	"github.com/streamgen/streamgen/runtime/temporal"
)

func parsed(t *testing.T, s string) UUID {
	t.Helper()
	u, err := Parse(s)
	if err != nil {
		t.Fatal(s, err)
	}
	return u
}

// The values are those of RFC 9562, appendices A and B, and of RFC 4122 for the version 5.
func TestFunctions(t *testing.T) {
	dns := parsed(t, "6ba7b810-9dad-11d1-80b4-00c04fd430c8")
	if got := V5(dns, "www.example.com"); got.String() != "2ed6657d-e927-568b-95e1-2665a8aea6a2" || Version(got) != 5 {
		t.Errorf("V5 gives %s", got)
	}
	if V5(dns, []byte("a")) != V5(dns, "a") || V5(dns, "a") == V5(dns, "b") || V5(dns, "") == V5(UUID{}, "") {
		t.Error("V5 mixes up names or spaces")
	}
	const when = temporal.Timestamp(1645557742000)
	for s, version := range map[string]int64{
		"c232ab00-9414-11ec-b3c8-9f6bdeced846": 1, "1ec9414c-232a-6b00-b3c8-9f6bdeced846": 6, "017f22e2-79b0-7cc3-98c4-dc0c0c07398f": 7,
	} {
		u := parsed(t, s)
		if got := Time(u); Version(u) != version || !got.Valid || got.Value != when {
			t.Errorf("%s: version %d, time %v", s, Version(u), got)
		}
	}
	for _, s := range []string{
		"919108f7-52d1-4320-9bac-f847db4148a8", "5df41881-3aed-3515-88a7-2f4a814cf09e", "00000000-0000-0000-0000-000000000000",
		"ffffffff-ffff-ffff-ffff-ffffffffffff", "c232ab00-9414-11ec-e3c8-9f6bdeced846",
	} {
		if got := Time(parsed(t, s)); got.Valid {
			t.Errorf("%s has the time %v", s, got.Value)
		}
	}
	// Before 1970, which version 1 can say: cut off towards the past.
	if got := Time(parsed(t, "00000000-0000-1000-8000-000000000000")); !got.Valid || got.Value != -12219292800000 {
		t.Errorf("the first instant is %v", got)
	}
}

func TestFunctionsDoNotAllocate(t *testing.T) {
	u, name := UUID{1}, []byte("name")
	if n := testing.AllocsPerRun(100, func() {
		u = V5(u, name)
		Time(u)
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
