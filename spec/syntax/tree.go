package syntax

import "github.com/streamgen/streamgen/spec/diag"

// Program is all files of one directory: app.hcl first, then the others by name.
type Program struct{ Files []*File }

// File is one parsed file. Source is what positions point into: the text without a byte order mark, lines ending in \n.
type File struct {
	Name   string
	Source []byte
	Blocks []*Block

	empty bool // nothing but comments
}

// Block is a block with its attributes and inner blocks, each in source order.
type Block struct {
	Type   Ident
	Labels []Ident // quotes removed
	Attrs  []*Attr
	Blocks []*Block
	Header diag.Range // type and labels
	Range  diag.Range // up to the closing brace
}

// Ident is a word and where it stands.
type Ident struct {
	Name  string
	Range diag.Range
}

// Attr is name = expression.
type Attr struct {
	Name  Ident
	Value Expr
	Range diag.Range
}

// Expr is an expression as written: it has a place and no meaning yet. The set of implementations is closed.
type Expr interface {
	Pos() diag.Range
	expr()
}

type node struct{ Range diag.Range }

// Pos is where the expression stands.
func (n node) Pos() diag.Range { return n.Range }
func (node) expr()             {}

// The expressions.
type (
	// Number is a numeric literal. Text is its source bytes: no normalisation, no detour over a float.
	Number struct {
		node
		Text string
	}
	// Text is a string literal or heredoc without interpolation, unescaped.
	Text struct {
		node
		Value string
	}
	// Template is a string with interpolations; the parts between them are *Text.
	Template struct {
		node
		Parts []Expr
	}
	// Bool is true or false.
	Bool struct {
		node
		Value bool
	}
	// Null is the word null.
	Null struct{ node }
	// Name is a word that stands alone or begins a path: value, table, local.
	Name struct {
		node
		Name string
	}
	// Select is x.name.
	Select struct {
		node
		X    Expr
		Name Ident
	}
	// Index is x[key].
	Index struct {
		node
		X, Key Expr
	}
	// Splat is x[*].rest or x.*.rest; Each is the rest over a SplatItem, or the SplatItem itself.
	Splat struct {
		node
		X, Each Expr
	}
	// SplatItem stands for the element in Splat.Each.
	SplatItem struct{ node }
	// Call is name(args).
	Call struct {
		node
		Name Ident
		Args []Expr
	}
	// Unary is - or !.
	Unary struct {
		node
		Op string
		X  Expr
	}
	// Binary is one of + - * / % == != < <= > >= && ||.
	Binary struct {
		node
		Op   string
		At   diag.Range // of the operator
		L, R Expr
	}
	// Conditional is c ? a : b.
	Conditional struct {
		node
		Cond, Then, Else Expr
	}
	// Paren is (x), kept because an object key in parentheses is computed.
	Paren struct {
		node
		X Expr
	}
	// Object is { key = value, … } in source order.
	Object struct {
		node
		Items []Item
	}
	// List is [a, b, …].
	List struct {
		node
		Items []Expr
	}
	// For is [for k, v in x : value if cond] or, with Key, {for k, v in x : key => value if cond}.
	For struct {
		node
		KeyVar, ValueVar Ident // KeyVar.Name is "" if there is one variable
		In               Expr
		Key, Value, If   Expr // Key: nil for a list; If: nil without a condition
	}
)

// Item is one key = value of an Object. Name is the key if it is a plain word or a string; else Key is the expression.
type Item struct {
	Name  Ident
	Key   Expr
	Value Expr
}
