package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/spec/types"
)

// Structs of the user's that types of the spec adopt: package records has their codecs, and functions where records have methods.

// adopted says whether t is a struct of the user's.
func (r *Records) adopted(t *types.Record) bool { return r.declared(t).Record.Go != nil }

// typ is the Go type within package records.
func (d *recordsType) typ() *jen.Statement {
	if d.Record != nil && d.Record.Go != nil {
		return jen.Qual(d.Record.Go.Import, d.Record.Go.Name)
	}
	return jen.Id(d.Name)
}

// onTwo begins a method of a record that takes another one, or the function that takes two where there can be no method.
func (r *Records) onTwo(d *recordsType, name, recv, other string) *jen.Statement {
	param := func(name string) *jen.Statement { return jen.Id(name).Op("*").Add(d.typ()) }
	if d.Record.Go != nil {
		return jen.Func().Id(name).Params(jen.List(jen.Id(recv), jen.Id(other)).Op("*").Add(d.typ()))
	}
	return jen.Func().Params(param(recv)).Id(name).Params(param(other))
}
