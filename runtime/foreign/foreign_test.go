package foreign

import (
	"fmt"
	"strings"
	"testing"

	"github.com/streamgen/streamgen/runtime/record"
)

// sends is what a subscriber sends for a change, as text.
func sends(t *testing.T, s *Subscriber, out *record.Output, c Change) string {
	t.Helper()
	counted := ""
	if !s.Send(&c) {
		counted = " null"
	}
	var all []string
	err := out.Drain(func(list []record.Out) error {
		for _, o := range list {
			m, err := ParseSubscription(o.Value)
			if err != nil {
				return err
			}
			on := "-"
			if o.Key != nil {
				on = string(o.Key)
			}
			of := "new"
			switch {
			case m.Request == Leave:
				of = ""
			case m.Digest == Digest{}:
				of = "none"
			case m.Digest != DigestOf(c.Row):
				t.Errorf("another digest")
			}
			if string(m.Key) != string(c.Key) || m.Partition != 3 || o.Timestamp != c.Timestamp {
				t.Errorf("sent %+v at %d", m, o.Timestamp)
			}
			all = append(all, strings.TrimSpace(fmt.Sprint([...]string{"", "leave", "withdraw", "join", "join if", "settle"}[m.Request], " ", on, " ", of)))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, ", ") + counted
}

// TestRequests is what each change of a left row asks for, the first time that a record changes the row and then.
func TestRequests(t *testing.T) {
	f, g := []byte("f"), []byte("g")
	there := func(on, before []byte, existed bool) Change {
		return Change{Exists: true, Existed: existed, On: on, Before: before, Row: []byte("row")}
	}
	gone := func(before []byte) Change { return Change{Existed: true, Before: before} }
	fails := func(before []byte, existed bool) Change {
		c := there(nil, before, existed)
		c.Fails = true
		return c
	}
	for _, c := range []struct {
		what               string
		change             Change
		inner, again, left string
	}{
		{"insert", there(f, nil, false), "settle f new", "join if f new", "join f new"},
		{"insert without a key", there(nil, nil, false), "settle - new null", " null", "join - new"},
		{"the same key", there(f, f, true), "settle f new", "join if f new", "join f new"},
		{"another key", there(g, f, true), "leave f, join g new", "leave f, join g new", "leave f, join g new"},
		{"no key any more", there(nil, f, true), "withdraw f new null", "withdraw f new null", "leave f, join - new"},
		{"a key again", there(g, nil, true), "settle g new", "join if g new", "join g new"},
		{"no key, as before", there(nil, nil, true), "settle - new null", " null", "join - new"},
		{"delete", gone(f), "withdraw f none", "withdraw f none", "leave f, join - none"},
		{"delete of one without a key", gone(nil), "settle - none", "", "join - none"},
		{"delete of what was not there", Change{}, "", "", ""},
		{"cannot be worked out", fails(f, true), "withdraw f new", "withdraw f new", "withdraw f new"},
		{"cannot be worked out from the first", fails(nil, false), "settle - new", "", "withdraw - new"},
		{"an empty key", there([]byte{}, nil, false), "settle  new", "join if  new", "join  new"},
	} {
		c.change.Key, c.change.Timestamp = []byte("k"), 17
		by := &record.Record{Offset: 5}
		for _, kind := range []struct {
			Kind
			want [2]string
		}{{Inner, [2]string{c.inner, c.again}}, {Left, [2]string{c.left, c.left}}} {
			out := &record.Output{}
			s := NewSubscriber(record.NewTopic(&out, 0, 1, 0), 3, kind.Kind)
			s.Send(&Change{Key: []byte("other"), Exists: true, On: f, By: by})
			_ = out.Drain(func([]record.Out) error { return nil })
			for i, want := range kind.want {
				c.change.By = by
				if got := sends(t, &s, out, c.change); got != want {
					t.Errorf("%s, kind %d, time %d: sent %q, should be %q", c.what, kind.Kind, i+1, got, want)
				}
			}
			c.change.By = &record.Record{Offset: 6}
			if got := sends(t, &s, out, c.change); got != kind.want[0] {
				t.Errorf("%s, kind %d, another record: sent %q, should be %q", c.what, kind.Kind, got, kind.want[0])
			}
		}
	}
}

func TestMessages(t *testing.T) {
	digest := DigestOf([]byte("row"))
	m := Subscription{Request: Join, Partition: 300, Digest: digest, Key: []byte("key")}
	value := AppendSubscription(nil, &m)
	if got, err := ParseSubscription(value); err != nil || fmt.Sprint(got) != fmt.Sprint(m) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, a := range []Answer{
		{Digest: digest, Found: true, Row: []byte("right")}, {Digest: digest, Found: true}, {Digest: digest}, {Digest: digest, Withdrawn: true}, {Settles: true},
	} {
		got, err := ParseAnswer(AppendAnswer(nil, &a))
		if err != nil || fmt.Sprint(got) != fmt.Sprint(a) {
			t.Errorf("%+v came back as %+v, %v", a, got, err)
		}
	}
	if a := (Answer{Digest: digest}); !a.IsFor(true, []byte("row")) || a.IsFor(true, []byte("other")) || a.IsFor(false, nil) {
		t.Error("which row an answer is for")
	}
	for n := range value[:len(value)-3] {
		if _, err := ParseSubscription(value[:n]); err == nil {
			t.Errorf("%d bytes of %d are read", n, len(value))
		}
		if _, err := ParseAnswer(value[:min(n, 17)]); err == nil {
			t.Errorf("%d bytes of an answer are read", min(n, 17))
		}
	}
	// A value of the second version, if there will be one, and what no version is.
	for _, first := range []byte{2, 0} {
		value[0] = first
		for _, err := range []error{func() error { _, err := ParseSubscription(value); return err }(), func() error { _, err := ParseAnswer(value); return err }()} {
			if want := fmt.Sprintf("version %d of its format, and this program knows version 1 only", first); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, should say %q", err, want)
			}
		}
	}
}
