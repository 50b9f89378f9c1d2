package diag

import "slices"

// Code is a row of the registry: a kind of mistake, documented for `streamgen explain`.
//
// Codes are stable: one that was published is never given another meaning. The thousands are the compiler's parts: 10xx
// syntax, 11xx blocks and steps, 12xx names, 13xx types, 14xx keys and partitions, 15xx windows, 16xx state, 17xx user code,
// 18xx formats, 19xx warnings.
type Code struct {
	ID    string
	Title string // what is wrong, without names
	Text  string // why it is wrong and what the ways out are
	Wrong string // the smallest spec that gives this code; "" where HCL text cannot show it (the encoding of a file)
	Right string // the same, put right
}

// Lookup finds a code.
func Lookup(id string) (Code, bool) {
	for _, c := range registry {
		if c.ID == id {
			return c, true
		}
	}
	return Code{}, false
}

// Codes is the registry in order of ID.
func Codes() []Code { return slices.Clone(registry) }

var registry = collect(
	codes10,
	codes11,
	codes12,
	codes13,
	codes14,
	codes15,
	codes17,
	codes18,
	codes19,
	codesPlan,
)

func collect(tables ...[]Code) []Code {
	all := slices.Concat(tables...)
	slices.SortFunc(all, func(a, b Code) int {
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
	return all
}
