package json_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/streamgen/streamgen/bench/p1/orders"
	flights "github.com/streamgen/streamgen/generated/flights/records"
	enrichment "github.com/streamgen/streamgen/generated/order-enrichment/records"
	"github.com/streamgen/streamgen/generated/p1/records"
	runtimejson "github.com/streamgen/streamgen/runtime/json"
)

// decoders are generated decoders of several shapes. Each gives what it read as text.
var decoders = []func([]byte) (string, error){
	decoder(records.DecodeOrderForPaid), decoder(flights.DecodeFlight), decoder(flights.DecodeFlightDepDelay), decoder(flights.DecodePlane),
	decoder(enrichment.DecodeOrder), decoder(enrichment.DecodeOrderAmountCents), decoder(enrichment.DecodeCustomer),
}

func decoder[T any](decode func([]byte, *T) error) func([]byte) (string, error) {
	return func(b []byte) (string, error) {
		var v T
		err := decode(b, &v)
		return fmt.Sprintf("%+v", v), err
	}
}

// sameByName fails if a decoder reads or refuses b otherwise than behind a space, where it finds all fields by their names.
func sameByName(t *testing.T, b []byte) (accepted int) {
	t.Helper()
	spaced := append([]byte(" "), b...)
	for i, decode := range decoders {
		got, err := decode(b)
		want, wantErr := decode(spaced)
		if e := (*runtimejson.Error)(nil); errors.As(wantErr, &e) && e.Offset >= 0 {
			e.Offset--
		}
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Fatalf("decoder %d, %q\nin order: %v\nby name:  %v", i, b, err, wantErr)
		}
		if err == nil {
			if accepted++; got != want {
				t.Fatalf("decoder %d, %q\nin order: %s\nby name:  %s", i, b, got, want)
			}
		}
	}
	return accepted
}

// wellFormed are records that generated decoders accept, as producers mostly write them.
var wellFormed = []string{
	string(orders.Make(1)[0].Value),
	`{"flight_id":"f-1","carrier":"UA","flight":1545,"tailnum":"N14228","origin":"EWR","dest":"IAH","scheduled_departure":"2013-01-01T10:15:00Z","dep_delay":2,"distance":1400,"cancelled":false}`,
	`{"flight_id":"f-2","carrier":"UA","flight":1546,"origin":"EWR","dest":"IAH","scheduled_departure":"2013-01-01T10:15:00Z","dep_delay":null,"distance":1400,"cancelled":true}`,
	`{"tailnum":"N10156","year":2004,"type":"Fixed wing multi engine","manufacturer":"EMBRAER","model":"EMB-145XR","engines":2,"seats":55,"engine":"Turbo-fan"}`,
	`{"order_id":"o-1","customer_id":"c-1","amount_cents":1250,"currency":"EUR","note":"n"}`,
	`{"name":"Ada","tier":"gold"}`,
}

func TestOrderOfFieldsChangesNothing(t *testing.T) {
	for _, s := range wellFormed {
		accepted := sameByName(t, []byte(s))
		if accepted == 0 {
			t.Errorf("nothing reads %s", s)
		}
		for i := range s {
			for _, part := range []string{"", " ", "\x00", `"`, `,`, `é`, `null`, `"year":1,`, `,"status":"NEW"`, `{}`} {
				sameByName(t, []byte(s[:i]+part+s[i:]))
			}
			sameByName(t, []byte(s[:i]))
			sameByName(t, []byte(s[:i]+s[i+1:]))
		}
	}
}

func FuzzOrderOfFields(f *testing.F) {
	for _, s := range wellFormed {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) { sameByName(t, b) })
}
