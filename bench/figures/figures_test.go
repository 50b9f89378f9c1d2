package figures

import "testing"

func TestFigures(t *testing.T) {
	f := Figures{3, 1, 2, 10}
	if got := f.Text("%.1f"); got != "2.5 (1.0..10.0)" {
		t.Error(got)
	}
	if got := (Figures{4, 9}).Over(Figures{2, 3}).Text("%.0f"); got != "2 (2..3)" {
		t.Error(got)
	}
}
