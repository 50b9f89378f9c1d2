package names

import (
	"go/token"
	"testing"
)

func TestIdentifiers(t *testing.T) {
	for _, c := range []struct{ name, upper, lower string }{
		{"orders", "Orders", "orders"},
		{"orders_by_id", "OrdersByID", "ordersByID"},
		{"order-lines", "OrderLines", "orderLines"},
		{"userId", "UserID", "userID"},
		{"UserID", "UserID", "userID"},
		{"userIDs", "UserIDs", "userIDs"},
		{"order_ids", "OrderIDs", "orderIDs"},
		{"url", "URL", "url"},
		{"url_of", "URLOf", "urlOf"},
		{"HTTPServer", "HTTPServer", "httpServer"},
		{"jsonDNSName", "JSONDNSName", "jsonDNSName"},
		{"address2", "Address2", "address2"},
		{"status", "Status", "status"},
		{"RED", "Red", "red"},
		// G05: names that are no identifiers.
		{"user-id", "UserID", "userID"},
		{"1st", "N1st", "n1st"},
		{"a.b", "AB", "aB"},
		{"@type", "Type", "type"},
		{"+", "U002b", "u002b"},
		{"", "Empty", "empty"},
		{"_", "U005f", "u005f"},
		// G25: letters of other scripts.
		{"naïve", "Naïve", "naïve"},
		{"名前", "X名前", "名前"},
	} {
		if got := Upper(c.name); got != c.upper || !token.IsIdentifier(got) || !token.IsExported(got) {
			t.Errorf("Upper(%q) = %q, want %q", c.name, got, c.upper)
		}
		if got := Lower(c.name); got != c.lower {
			t.Errorf("Lower(%q) = %q, want %q", c.name, got, c.lower)
		}
	}
}

func TestRole(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Role("topic", "orders-by-id"), "topicOrdersByID"},
		{Role("pos", "orders", "filter2"), "posOrdersFilter2"},
		{Role("source", "enriched"), "sourceEnriched"},
		{Role("Tier", "1st-class"), "Tier1stClass"},
		{Role("topic", "1.raw"), "topic1Raw"},
		{Role("", "1st-class"), "N1stClass"},
		{Role("", "名前", "b"), "X名前B"},
		{LowerFirst("Orders"), "orders"},
		{LowerFirst("1Raw"), "n1Raw"},
		{LowerFirst("ID"), "id"},
		{LowerFirst("IDs"), "ids"},
		{LowerFirst("URLOf"), "urlOf"},
		{LowerFirst("OrderID"), "orderID"},
		{LowerFirst("Xs"), "xs"},
		{LowerFirst("ÉTÉ"), "été"},
		{LowerFirst(""), ""},
		{LowerFirst("Été"), "été"},
		{UpperFirst("été"), "Été"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// G01, G07: Go's words are found behind the change of case, and never given out.
func TestG01G07Taken(t *testing.T) {
	for _, name := range []string{"Import", "type", "Go", "func", "range", "select", "map", "string", "len", "state", "records"} {
		used := map[string]bool{}
		lower := Lower(name)
		if !Taken(lower) {
			t.Errorf("%q is not taken", lower)
		}
		if got := Free(used, "Stream", lower); got != lower+"Stream" {
			t.Errorf("Free gives %q", got)
		}
		if Upper(name) == name && Taken(Upper(name)) {
			t.Errorf("%q is taken", Upper(name))
		}
	}
	used := map[string]bool{}
	for _, want := range []string{"a", "b", "bX", "bXX"} {
		if got := Free(used, "X", "a", "b"); got != want {
			t.Errorf("Free gives %q, want %q", got, want)
		}
	}
}

func TestPackage(t *testing.T) {
	for label, want := range map[string]string{
		"order-enrichment": "orderenrichment",
		"failures":         "failures",
		"a_b-c":            "abc",
		"type":             "typeapp",
		"main":             "mainapp",
		"records":          "recordsapp",
	} {
		if got := Package(label); got != want {
			t.Errorf("Package(%q) = %q, want %q", label, got, want)
		}
	}
	if got := File("rekey-enriched"); got != "rekey_enriched" {
		t.Errorf("File gives %q", got)
	}
}

// G03: three fields, one Go name; each later one is reported, with the first one's place.
func TestG03Distinct(t *testing.T) {
	var list []Named
	for _, name := range []string{"user_id", "amount", "userId", "UserID"} {
		list = append(list, Named{Name: name, Go: Upper(name)})
		list[len(list)-1].At.Start.Line = len(list)
	}
	diags := Distinct("fields of Order", list)
	if len(diags) != 2 {
		t.Fatalf("%d diagnostics, want 2", len(diags))
	}
	for i, line := range []int{3, 4} {
		d := diags[i]
		if d.Code != "SG1203" || d.Range.Start.Line != line || len(d.Related) != 1 || d.Related[0].Range.Start.Line != 1 {
			t.Errorf("got %+v", d)
		}
		if want := "two fields of Order have the Go name UserID"; d.Summary != want {
			t.Errorf("summary %q, want %q", d.Summary, want)
		}
	}
}

// G25: what looks alike but is not, and what is not what it looks like, is refused.
func TestG25Unsafe(t *testing.T) {
	for _, name := range []string{
		"nai\u0308ve",        // NFD
		"\ufb01eld",          // a ligature
		"\u212a",             // Kelvin sign
		"user\u202eadmin",    // right to left override
		"zero\u200bwidth",    // zero-width space
		"bell\u0007",         // control
		string([]byte{0xff}), // not UTF-8
	} {
		if Unsafe(name) == "" {
			t.Errorf("%q passes", name)
		}
		if diags := Distinct("fields", []Named{{Name: name, Go: Upper(name)}}); len(diags) != 1 || diags[0].Code != "SG1208" {
			t.Errorf("%q: %v", name, diags)
		}
	}
	for _, name := range []string{"naïve", "user_id", "名前", "a.b"} {
		if why := Unsafe(name); why != "" {
			t.Errorf("%q: %s", name, why)
		}
	}
}

func FuzzIdentifiers(f *testing.F) {
	for _, s := range []string{"orders_by_id", "1st", "", "HTTPs", "Import", "+-", "ǅ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if Unsafe(name) != "" {
			return
		}
		if id := Upper(name); !token.IsIdentifier(id) || !token.IsExported(id) {
			t.Errorf("Upper(%q) = %q", name, id)
		}
		if id := Free(map[string]bool{}, "X", Lower(name)); !token.IsIdentifier(id) || token.IsExported(id) {
			t.Errorf("Lower(%q) = %q", name, id)
		}
		if id := Role("topic", name); !token.IsIdentifier(id) {
			t.Errorf("Role(%q) = %q", name, id)
		}
	})
}
