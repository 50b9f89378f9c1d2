package uuid

import (
	"strings"
	"testing"
)

const text = "01234567-89ab-cdef-fedc-ba9876543210"

func TestRoundTrip(t *testing.T) {
	want := UUID{0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10}
	for _, s := range []string{text, strings.ToUpper(text)} {
		u, err := Parse(s)
		if err != nil || u != want || u.String() != text {
			t.Errorf("%s: %s, %v", s, u, err)
		}
	}
	if (UUID{}).String() != "00000000-0000-0000-0000-000000000000" {
		t.Error(UUID{})
	}
}

// Each byte of the text counts.
func TestRefused(t *testing.T) {
	for i := range text {
		for _, c := range []byte{'g', '/', ':', '@', 'G', '`', 0, 0xff, '-'} {
			b := []byte(text)
			if b[i] = c; string(b) == text {
				continue
			}
			if u, err := Parse(b); err == nil {
				t.Errorf("%q is %s", b, u)
			}
		}
	}
	for _, s := range []string{"", text[1:], text + "0", "{" + text + "}", strings.ReplaceAll(text, "-", "")} {
		if u, err := Parse(s); err == nil {
			t.Errorf("%q is %s", s, u)
		}
	}
}

func TestAllocations(t *testing.T) {
	b, dst := []byte(text), make([]byte, 0, Size)
	if n := testing.AllocsPerRun(100, func() {
		u, _ := Parse(b)
		dst = Append(dst[:0], u)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
