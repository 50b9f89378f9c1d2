package optional

import "testing"

func TestOptional(t *testing.T) {
	null, stale := Of[int]{}, Of[int]{Value: 7}
	if !Equal(null, stale) || Equal(null, Some(0)) || Equal(Some(1), Some(2)) || !Equal(Some(2), If(2, true)) || !Equal(null, If(2, false)) {
		t.Error("equality")
	}
	if stale.Or(3) != 3 || Some(0).Or(3) != 0 {
		t.Error("or")
	}
}
