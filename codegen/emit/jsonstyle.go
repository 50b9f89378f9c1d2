package emit

import (
	"slices"
	"strconv"
	"strings"

	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// style is what a format says of its JSON where the language leaves a choice. Types that it makes no difference to have the plain
// style, so that their functions are written once.
type style struct {
	suffix string // of the names of functions
	times  string // how timestamps are written: "" as RFC 3339, unix_ms, unix_s
	rename []model.Rename
	keep   bool // unknown fields
}

// plain is the style of a format without options.
var plain = &style{}

// styleOf is the style of a format, for its type.
func (r *Records) styleOf(f plan.Format) *style {
	if f.JSON == nil {
		return plain
	}
	return r.style(types.NonNull(f.Type), f.JSON.Times, f.JSON.Rename, f.JSON.Keep)
}

// stateStyle is the style in which rows are shown: with all that they hold.
func (r *Records) stateStyle(t types.Type) *style { return r.style(t, "", nil, true) }

// style finds the style with these options, as far as they matter for t.
func (r *Records) style(t types.Type, times string, rename []model.Rename, keep bool) *style {
	if !holdsTimes(t) {
		times = ""
	}
	keep = keep && types.HoldsUnknown(t)
	if times == "" && len(rename) == 0 && !keep {
		return plain
	}
	s := &style{times: times, rename: rename, keep: keep}
	for _, known := range r.styles {
		if known.times == times && known.keep == keep && slices.Equal(known.rename, rename) {
			return known
		}
	}
	s.suffix = map[string]string{"unix_ms": "UnixMillis", "unix_s": "UnixSeconds"}[times]
	if len(rename) > 0 {
		s.suffix += "Renamed"
	}
	if keep {
		s.suffix += "WithUnknown"
	}
	base := s.suffix
	for n := 2; slices.ContainsFunc(r.styles, func(known *style) bool { return known.suffix == s.suffix }); n++ {
		s.suffix = base + strconv.Itoa(n)
	}
	r.styles = append(r.styles, s)
	return s
}

// below is the style of the value of a field, whose type is t.
func (s *style) below(r *Records, field string, t types.Type) *style {
	var rename []model.Rename
	for _, n := range s.rename {
		if rest, ok := strings.CutPrefix(n.Path, field+"."); ok {
			rename = append(rename, model.Rename{Path: rest, Name: n.Name})
		}
	}
	return r.style(t, s.times, rename, s.keep)
}

// name is what a field is called on the wire.
func (s *style) name(field string) string {
	for _, n := range s.rename {
		if n.Path == field {
			return n.Name
		}
	}
	return field
}

// holdsTimes says whether values of t hold timestamps.
func holdsTimes(t types.Type) bool {
	switch t := t.(type) {
	case *types.Optional:
		return holdsTimes(t.Elem)
	case *types.List:
		return holdsTimes(t.Elem)
	case *types.Map:
		return holdsTimes(t.Elem)
	case *types.Record:
		return slices.ContainsFunc(t.Fields, func(f types.Field) bool { return holdsTimes(f.Type) })
	}
	return t == types.Timestamp
}
