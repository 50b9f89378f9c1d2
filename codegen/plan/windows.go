package plan

import (
	"slices"

	"github.com/streamgen/streamgen/spec/model"
)

// laterWindows are the kinds of window that the checker knows and the planner cannot build yet.
var laterWindows = []model.WindowKind{model.Tumbling, model.Hopping, model.Sliding, model.Session, model.Unlimited}

// unbuilt reports the windows that cannot be built yet. Nothing else is looked at then.
func (p *planner) unbuilt() bool {
	for _, b := range p.model.Blocks {
		if w := b.Window; w != nil && slices.Contains(laterWindows, w.Kind) {
			p.diags.Errorf("SG1199", w.Pos, "window %q is not available yet", w.Kind).
				WithDetail("It is part of the language, but this version of streamgen cannot build it.")
		}
	}
	for _, b := range p.model.Blocks {
		if s := b.Source; s != nil && (s.Key.Name == "windowed" || s.Value.Name == "windowed") {
			p.diags.Errorf("SG1199", b.Pos, "the format windowed is not available yet").
				WithDetail("It is part of the language, but this version of streamgen cannot build it.")
		}
	}
	return p.diags.HasErrors()
}
