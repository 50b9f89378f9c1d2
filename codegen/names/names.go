// Package names turns the names of a spec into Go identifiers.
//
// It stands beside codegen/plan, which decides what gets which name; nothing behind the planner invents one, apart from
// locals of a function. A name of the spec becomes words, and the words an identifier: order_id and orderId are the words
// order and id, hence OrderID or orderID.
package names

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Upper is the exported identifier for a name: order_id → OrderID. The result is always one: a name that begins with a digit
// gets an N, one whose first letter has no upper case an X, and one without a letter or digit is spelled in code points.
func Upper(name string) string { return exported(join(words(name), true)) }

func exported(id string) string {
	switch r, _ := utf8.DecodeRuneInString(id); {
	case unicode.IsDigit(r):
		return "N" + id
	case !unicode.IsUpper(r):
		return "X" + id
	default:
		return id
	}
}

// Lower is the unexported identifier for a name: orders_by_id → ordersByID, url_of → urlOf. It may be a word that Go or the
// generated packages use already: see Taken.
func Lower(name string) string {
	id := join(words(name), false)
	if r, _ := utf8.DecodeRuneInString(id); unicode.IsDigit(r) {
		return "n" + id
	}
	return id
}

// Role is the identifier of what a name is to something: Role("topic", "orders") is topicOrders, Role("Tier", "gold")
// TierGold, Role("pos", "orders", "filter") posOrdersFilter. Without a role it is exported, as by Upper.
func Role(role string, names ...string) string {
	var b strings.Builder
	b.WriteString(role)
	for _, n := range names {
		b.WriteString(join(words(n), true))
	}
	if role == "" {
		return exported(b.String())
	}
	return b.String()
}

// UpperFirst is an identifier with its first letter in upper case, as it stands behind another word.
func UpperFirst(id string) string {
	r, n := utf8.DecodeRuneInString(id)
	return string(unicode.ToUpper(r)) + id[n:]
}

// LowerFirst is what stands behind the first word of an identifier as one of its own: of topicOrders, Orders gives orders, of
// topicIDsByURL, IDsByURL gives idsByURL; of topic1Raw, 1Raw gives n1Raw.
func LowerFirst(id string) string {
	if r, _ := utf8.DecodeRuneInString(id); unicode.IsDigit(r) {
		return "n" + id
	}
	end, last, capitals := 0, 0, 0
	for i, r := range id {
		if !unicode.IsUpper(r) {
			if capitals > 1 && r != 's' { // the last capital is the next word's; IDs is a word
				end = last
			}
			break
		}
		last, end, capitals = i, i+utf8.RuneLen(r), capitals+1
	}
	return strings.ToLower(id[:end]) + id[end:]
}

// Package is the name of the Go package of an app: its label without dashes.
func Package(label string) string {
	name := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' {
			return -1
		}
		return unicode.ToLower(r)
	}, label)
	if Taken(name) || name == "main" {
		name += "app"
	}
	return name
}

// File is the base name of the file of a part of the program, without its ending: rekey-enriched → rekey_enriched.
func File(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '.' {
			return '_'
		}
		return unicode.ToLower(r)
	}, name)
}

// join writes words as one identifier. The first one is lower case throughout unless upper is set.
func join(words []string, upper bool) string {
	var b strings.Builder
	for i, w := range words {
		switch {
		case i == 0 && !upper:
			b.WriteString(strings.ToLower(w))
		default:
			b.WriteString(capital(w))
		}
	}
	return b.String()
}

// capital is a word as it stands within an identifier: an initialism in capitals, also in the plural (IDs), else with its
// first letter in upper case.
func capital(w string) string {
	up := strings.ToUpper(w)
	if initialisms[up] {
		return up
	}
	if stem, ok := strings.CutSuffix(up, "S"); ok && initialisms[stem] {
		return stem + "s"
	}
	r, n := utf8.DecodeRuneInString(w)
	return string(unicode.ToUpper(r)) + strings.ToLower(w[n:])
}

// words splits a name at everything that is no letter or digit, and where the case says so: orderID, HTTPServer, userIDs. A
// number belongs to the word before it.
func words(name string) []string {
	var list []string
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		list = append(list, humps([]rune(part))...)
	}
	if len(list) > 0 {
		return list
	}
	for _, r := range name {
		list = append(list, fmt.Sprintf("u%04x", r))
	}
	if len(list) == 0 {
		list = []string{"empty"}
	}
	return list
}

func humps(s []rune) []string {
	var list []string
	start := 0
	for i := 1; i < len(s); i++ {
		switch {
		case !unicode.IsUpper(s[i]):
			continue
		case !unicode.IsUpper(s[i-1]): // aB
		case i+1 < len(s) && unicode.IsLower(s[i+1]) && !plural(s, i+1): // the B of ABc
		default:
			continue
		}
		list = append(list, string(s[start:i]))
		start = i
	}
	return append(list, string(s[start:]))
}

// plural says whether the s at i is that of an initialism: IDs, and not the s of ABsolute.
func plural(s []rune, i int) bool {
	return s[i] == 's' && (i+1 == len(s) || unicode.IsUpper(s[i+1]))
}

var initialisms = set(
	"ACL", "API", "ASCII", "CPU", "CSS", "CSV", "DB", "DNS", "EOF", "GUID", "HTML", "HTTP", "HTTPS", "IBAN", "ID", "IO", "IP",
	"JSON", "JWT", "OS", "QPS", "RAM", "RPC", "SDK", "SKU", "SLA", "SMTP", "SQL", "SSH", "SSL", "TCP", "TLS", "TTL", "UDP",
	"UI", "UID", "URI", "URL", "UTC", "UTF8", "UUID", "VAT", "VM", "XML",
)

func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}
