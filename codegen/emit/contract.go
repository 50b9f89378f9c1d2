package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/library"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// This file is what the code of the sub-topologies builds on: the Go form of types, codecs, and expressions. All methods
// return fresh jen code; a *jen.Statement that is given to them is cloned before it is written twice, so it must be free of
// side effects.

// Fail gives the statements that end the record at hand because err, an expression of type error, came up. The last of them
// leaves the function or the block (return, continue).
type Fail func(err *jen.Statement) []jen.Code

// Place is how a value of the scope is at hand in Go.
//
// Of a value that is not optional only It counts. An optional one that is an optional.Of in Go needs only It too; where its
// null is something else (a row pointer that is nil, bytes that are nil), Valid is the condition that it is there, Null its
// opposite (which may be left out), Value is what it is when it is there, and It is nil.
type Place struct {
	It                 *jen.Statement
	Valid, Null, Value *jen.Statement

	Pointer *jen.Statement // to a record: its fields are read through it; nil: there is none
	Row     *jen.Statement // a *state.Row that holds it, nil for null; nil: there is none
	Behind  bool           // Value lies behind a pointer, which is nil for null: it must not be looked at then
	Sure    bool           // of an optional with Valid: it is always there
}

// Scope is what the names of an expression are in the function that is being written.
type Scope struct {
	Records *Records
	Names   *Names // of the function, so that temporaries get names of their own
	About   string // what the step is about, for variables whose name is taken: "enriched"; may be ""
	Fail    Fail   // what happens if the expression fails: Reject(BadLogic); it may be nil where nothing can fail

	Key, Value, Agg Place
	Previous        func(t types.Type) Place          // the row that a change replaced, as a name of type t
	Timestamp       *jen.Statement                    // of type temporal.Timestamp
	Context         *jen.Statement                    // for functions of the user's
	Headers         *jen.Statement                    // of type []record.Header
	Origin          func(part string) *jen.Statement  // where the record was read from: its "Topic", "Partition" or "Offset"
	Join            func(as string) Place             // the row that a join's "as" names
	Variable        func(label string) *jen.Statement // a runtime variable
	Aggregators     []Place                           // results, by AggRef.Index

	// Text is the text.Arena that strings made by expressions live in: "s.text". UsesText is set if one was needed, so that
	// the struct has the field only then.
	Text     *jen.Statement
	UsesText *bool

	// Buffer makes a variable of type t, a list or a map, for an expression to build its value in: a field of the struct, so that its
	// memory is used again for the next record. It has the first of the names that is free.
	Buffer func(t types.Type, names ...string) *jen.Statement

	// Ready is the variable of the package that holds what a constant is made into once: a regular expression, a time zone, a
	// JSON path.
	Ready func(kind library.Constant, text string) *jen.Statement

	locals map[string]Place // variables of for expressions
}

// CanFail says whether evaluating e can fail at run time. Overflow counts, other than in ExprBase.Fallible.
func CanFail(e model.Expr) bool { return canFail(e) }

// Expr writes e: the statements that must have run before it, and the Go expression itself, of the Go type of e's type. The
// statements leave the function by Fail where e fails. The expression may be evaluated once, directly behind the statements.
func (s *Scope) Expr(e model.Expr) (before []jen.Code, value *jen.Statement) { return s.expr(e) }

// Var is like Expr, with the value in a variable of its own, named after name if that is free; the value is then
// addressable. A value that already lies in a variable or field is not copied.
func (s *Scope) Var(name string, e model.Expr) (before []jen.Code, variable *jen.Statement) {
	return s.variable(name, e)
}

// Assign writes e into dst, which is assignable and addressable and which no name of the scope reads. If e fails, dst may
// have been changed.
func (s *Scope) Assign(dst *jen.Statement, e model.Expr) []jen.Code { return s.assign(dst, e) }

// Test writes e, a bool, as a condition; with negate its opposite, turned around where that reads better and means the same
// (value < 5 for !(value >= 5), but not for floats: NaN).
func (s *Scope) Test(e model.Expr, negate bool) (before []jen.Code, cond *jen.Statement) {
	return s.test(e, negate)
}

// Records writes the package records and names what is in it. Functions of the package are written only if they were asked
// for here; so Files comes last.
type Records struct {
	plan *plan.Plan
	path string
	recordsState
}

// NewRecords returns the records of p, in a package with the given import path.
func NewRecords(p *plan.Plan, importPath string) *Records {
	return &Records{plan: p, path: importPath, recordsState: newRecordsState(p)}
}

// RecordsFile is a file of the package records.
type RecordsFile struct {
	Name string // "order_gen.go"
	File *jen.File
}

// Files returns the package: one file a type, in the order of the plan. Without types there is none.
func (r *Records) Files() []RecordsFile { return r.files() }

// Type is the Go form of t.
func (r *Records) Type(t types.Type) *jen.Statement { return r.goType(t) }

// FieldName is the Go name of a field of t, which is a record.
func (r *Records) FieldName(t types.Type, field string) string { return r.fieldName(t, field) }

// IsRecord says whether values of t are passed by pointer: records, and nothing else.
func IsRecord(t types.Type) bool { _, ok := t.(*types.Record); return ok }

// Decoding is a decode of key or value bytes into a Go form.
type Decoding struct {
	Format  plan.Format
	Fields  []string       // of a record: to build; nil: all, empty but not nil: none
	Check   []string       // of a json record: to look at only
	Purpose string         // what the fields are for, in Go: "RekeyEnriched"; names the function if its fields are too many for that
	Src     *jen.Statement // of type []byte: r.Value
	Dst     *jen.Statement // assignable and addressable, of the type of Format.Type: s.order. nil if no fields are built
	Fail    Fail
}

// Decode writes a decoding. Bytes that are null make an optional Dst null and are an error otherwise. Strings and bytes of
// Dst are views of Src, its lists are read into the memory that they have: Dst must share that with nobody. Absent optional fields become null; fields that are not built keep what they held.
func (r *Records) Decode(d Decoding) []jen.Code { return r.decode(d) }

// FromJSON is the function that reads a t, which is a record, a list or a map, from a text: func(b []byte, v *T) error.
func (r *Records) FromJSON(t types.Type) *jen.Statement { return r.symbol(r.fromJSON(t)) }

// Encoding is an encoding of a key or value into bytes that live until the epoch is committed.
type Encoding struct {
	Format plan.Format
	Src    Place
	Topic  *jen.Statement // the record.Topic that holds the bytes: s.ordersEnriched
	Var    string         // name of the variable of type []byte to declare: "value"
	Fail   Fail           // a NaN that JSON cannot write; see Encodable
}

// Encode writes an encoding. The bytes of an optional that is null are nil.
func (r *Records) Encode(e Encoding) []jen.Code { return r.encode(e) }

// Encodable says whether encoding a value in this format always works. If not, Encode needs Fail.
func (r *Records) Encodable(f plan.Format) bool { return r.encodable(f) }

// Append is the call that appends v, not optional, in format f to dst: for keys of stores, s.key = append(s.key[:0], …). Its
// results are []byte, or []byte and error if f is not Encodable.
func (r *Records) Append(f plan.Format, dst, v *jen.Statement) *jen.Statement {
	return r.append(f, dst, v)
}

// Codec is the state.Codec of rows of type t, as an expression.
func (r *Records) Codec(t types.Type) *jen.Statement { return r.codec(t) }

// RowJSON is the func(dst, row []byte) ([]byte, error) of runtime.Store.JSON for rows of type t, as an expression.
func (r *Records) RowJSON(t types.Type) *jen.Statement { return r.rowJSON(t) }

// Equal is the condition that a and b of type t have the same content; with negate that they have not. It is what "changes
// nothing" means, so floats are equal if their bits are: NaN equals itself, 0 and -0 differ.
func (r *Records) Equal(t types.Type, a, b *jen.Statement, negate bool) *jen.Statement {
	return r.equal(t, a, b, negate)
}

// Keep writes src into dst, which outlives the record: strings, bytes and lists that differ are copied, into new memory. For rows of
// stores.
func (r *Records) Keep(t types.Type, dst, src *jen.Statement) []jen.Code { return r.keep(t, dst, src) }

// Names gives out names within one function.
type Names struct{ taken map[string]bool }

// NewNames returns the names of a function in which those given are taken already: receiver, parameters, variables. Go's
// words, predeclared names and the runtime's packages are never given out.
func NewNames(taken ...string) *Names {
	n := &Names{taken: map[string]bool{}}
	for _, name := range taken {
		n.taken[name] = true
	}
	return n
}

// New returns the first of the names that is free, else the last with a number, and takes it.
func (n *Names) New(candidates ...string) string { return n.fresh(candidates) }
