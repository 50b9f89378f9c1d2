package emit

import (
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/names"
)

// fresh returns the first candidate that is free, or the last with a number.
func (n *Names) fresh(candidates []string) string {
	name := ""
	for _, c := range candidates {
		if c == "" {
			continue
		}
		if name = c; n.free(c) {
			n.taken[c] = true
			return c
		}
	}
	for i := 2; ; i++ {
		if numbered := name + strconv.Itoa(i); n.free(numbered) {
			n.taken[numbered] = true
			return numbered
		}
	}
}

// release gives back the names of variables whose scope has ended.
func (n *Names) release(vars ...*jen.Statement) {
	for _, v := range vars {
		if v != nil {
			delete(n.taken, v.GoString())
		}
	}
}

func (n *Names) free(name string) bool {
	return !n.taken[name] && !names.Taken(name) && !helperPackages[name]
}

// helperPackages are the packages of the runtime that expressions and codecs call, beside those that names.Taken knows.
var helperPackages = map[string]bool{"arith": true, "convert": true, "row": true, "maps": true, "decimal": true, "dict": true, "list": true, "uuid": true}
