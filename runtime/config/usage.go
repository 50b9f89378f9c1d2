package config

import (
	"fmt"
	"io"
	"strings"

	"github.com/streamgen/streamgen/runtime/topology"
)

// Exit codes of a generated program. docs/operations.md says what to do about each.
const (
	ExitDrained        = 0 // told to end, everything processed was committed
	ExitRecord         = 1 // a record that a step cannot process, and whose policy is fail
	ExitConfig         = 2 // settings, or live topics that do not fit the program
	ExitInfrastructure = 3 // Kafka or the disk, for longer than it was retried
	ExitState          = 4 // state that was written by another program, or does not fit the group's offsets
)

// Usage writes what --help shows.
func Usage(w io.Writer, t *topology.Topology) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s is a stream processor on Kafka, made by streamgen.\n\n", t.App)
	fmt.Fprintf(&b, "Each setting is a flag, an environment variable or a line of the file named by --config, in this order of\nprecedence: --state-dir DIR, STREAMGEN_STATE_DIR=DIR, state-dir = DIR.\n\nSettings:\n")
	l := newLoader(t)
	list := func(prefix, flag string) {
		for _, s := range l.known {
			name, ok := strings.CutPrefix(s.name, prefix)
			if !ok || prefix == "" && strings.Contains(name, ".") {
				continue
			}
			left := "--" + name
			if s.secret {
				left = s.env()
			}
			if flag != "" {
				left = flag + " " + name
			}
			switch {
			case s.arg == "":
			case flag != "":
				left += "=" + s.arg
			default:
				left += " " + s.arg
			}
			fmt.Fprintf(&b, "  %-44s %s", left, s.doc)
			if s.deflt != "" {
				fmt.Fprintf(&b, " (%s)", s.deflt)
			}
			b.WriteByte('\n')
		}
	}
	list("", "")
	b.WriteString("\nClient options, as Kafka names them; in a file set.NAME = VALUE:\n")
	list("set.", "--set")
	if len(t.Variables) > 0 {
		b.WriteString("\nVariables of the program; in a file var.NAME = VALUE:\n")
		for _, v := range t.Variables {
			deflt := " (required)"
			if v.HasDefault {
				deflt = fmt.Sprintf(" (%s)", v.Default)
			}
			fmt.Fprintf(&b, "  --var %s=%s%s\n", v.Name, v.Type, deflt)
		}
	}
	if t.CommitInterval > 0 {
		fmt.Fprintf(&b, "\nThe program commits each %s.\n", t.CommitInterval)
	}
	fmt.Fprintf(&b, "\nExit codes: %d drained, %d stopped by a record, %d settings, %d Kafka or disk, %d state does not fit.\n",
		ExitDrained, ExitRecord, ExitConfig, ExitInfrastructure, ExitState)
	io.WriteString(w, b.String())
}
