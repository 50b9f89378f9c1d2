// Package streamgen carries what the command needs at its user's: the source of the runtime that generated code links against,
// and the templates of new projects. It has no code of its own; the command is in cmd/streamgen, and docs/architecture.md shows
// the way of a spec and of a record through the packages.
package streamgen

import "embed"

// Module is the path of this module.
const Module = "github.com/streamgen/streamgen"

// Source is this module as far as generated code needs it: the runtime, go.mod and the licence. Builds of the command that are
// no releases put it into a module proxy (cmd/streamgen/internal/modproxy).
//
//go:embed runtime go.mod LICENSE
var Source embed.FS

// Templates are the files of new projects, below templates/.
//
//go:embed all:templates
var Templates embed.FS
