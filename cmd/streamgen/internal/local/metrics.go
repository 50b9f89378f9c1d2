package local

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/streamgen/streamgen/codegen/plan"
)

// Summary is what a program did.
type Summary struct {
	In, Out int64   // records of input topics processed, of output topics written
	Keys    int     // rows of its stores; -1: not counted
	Seconds float64 // from the moment at which it was ready until all was committed
	Dropped int64
	Hidden  int // output records that were not shown
}

// lookInterval is between two looks at the figures of a program, which publishes them a moment after it commits.
const lookInterval = 20 * time.Millisecond

// settled gives the figures once they hold a number of input records and stay as they are, or as they are when ctx ends: not all that
// is fed need be read.
func settled(ctx context.Context, fed int64, look func() (Summary, error)) (Summary, error) {
	tick := time.NewTicker(lookInterval)
	defer tick.Stop()
	s, err := look()
	for err == nil {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return s, nil
		}
		before := s
		if s, err = look(); s == before && s.In >= fed {
			break
		}
	}
	return s, err
}

// measure asks the program for its figures.
func measure(ctx context.Context, address string, p *plan.Plan) (Summary, error) {
	var text bytes.Buffer
	if err := get(ctx, "http://"+address+"/metrics", &text); err != nil {
		return Summary{}, err
	}
	internal := map[string]bool{}
	for _, t := range p.Topics {
		internal[t.Name] = t.Kind == plan.Repartition
	}
	s := Summary{Keys: -1}
	for line := range strings.Lines(text.String()) {
		name, labels, value, ok := parseMetric(line)
		if !ok {
			continue
		}
		switch topic := label(labels, "topic"); name {
		case "streamgen_records_in_total":
			if !internal[topic] {
				s.In += value
			}
		case "streamgen_records_out_total":
			if !internal[topic] {
				s.Out += value
			}
		case "streamgen_records_dropped_total":
			s.Dropped += value
		}
	}
	return s, nil
}

// parseMetric reads a line of the Prometheus text format.
func parseMetric(line string) (name, labels string, value int64, ok bool) {
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' {
		return "", "", 0, false
	}
	i := strings.LastIndexByte(line, ' ')
	if i < 0 {
		return "", "", 0, false
	}
	x, err := strconv.ParseFloat(line[i+1:], 64)
	if err != nil {
		return "", "", 0, false
	}
	name, labels, _ = strings.Cut(line[:i], "{")
	return name, strings.TrimSuffix(labels, "}"), int64(x), true
}

// label finds name="value"; topic names need no escapes.
func label(labels, name string) string {
	for l := range strings.SplitSeq(labels, ",") {
		if v, ok := strings.CutPrefix(l, name+"="); ok {
			return strings.Trim(v, `"`)
		}
	}
	return ""
}
