package config

import (
	"fmt"
	"os"
	"strings"

	"github.com/streamgen/streamgen/runtime/topology"
)

// value is a value as it was given, and by what.
type value struct {
	value  string
	origin string // "--memory", "STREAMGEN_MEMORY", "app.properties:3"
}

// loader collects values by setting. The first one given stays: it is asked in order of precedence.
type loader struct {
	program *topology.Topology
	known   []setting
	given   map[string]value // by setting
	errs    []error
	warn    []string
}

func newLoader(t *topology.Topology) *loader {
	l := &loader{program: t, given: map[string]value{}}
	l.known = append(l.known, setting{name: "config", arg: "FILE", doc: "file of settings, one \"name = value\" a line",
		set: func(*raw, string) error { return nil }})
	l.known = append(l.known, settings(t.App)...)
	l.known = append(l.known, options()...)
	l.known = append(l.known, variableSettings(t.Variables)...)
	return l
}

func (l *loader) fail(format string, args ...any) {
	l.errs = append(l.errs, fmt.Errorf(format, args...))
}

func (l *loader) find(name string) *setting {
	for i := range l.known {
		if l.known[i].name == name {
			return &l.known[i]
		}
	}
	return nil
}

func (l *loader) give(name, v, origin string) {
	if _, ok := l.given[name]; !ok {
		l.given[name] = value{v, origin}
	}
}

// flags reads --name value, --name=value, --set key=value and --var name=value, and reports whether help is asked for.
func (l *loader) flags(args []string) (help bool) {
	seen := map[string]bool{}
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if arg == "-h" || arg == "--help" || arg == "-help" {
			return true
		}
		name, v, inline := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
		if !strings.HasPrefix(arg, "-") || name == "" {
			l.fail("%q is not a flag: this program takes no arguments", arg)
			continue
		}
		group := name == "set" || name == "var"
		s := l.find(name)
		switch {
		case !group && s == nil:
			l.unknown("--"+name, name)
			if !inline && len(args) > 0 && !strings.HasPrefix(args[0], "-") {
				args = args[1:] // its value, so that one mistake is reported once
			}
			continue
		case inline:
		case s != nil && s.arg == "":
			v = "true"
		case len(args) == 0:
			l.fail("--%s needs a value", name)
			continue
		default:
			v, args = args[0], args[1:]
		}
		origin := "--" + name
		if group {
			key, rest, ok := strings.Cut(v, "=")
			if !ok {
				l.fail("--%s takes name=value, not %q", name, v)
				continue
			}
			name, v, origin = name+"."+key, rest, origin+" "+key
			if s = l.find(name); s == nil {
				l.unknown(origin, name)
				continue
			}
		}
		if s.secret {
			l.fail("%s: a password on the command line is seen by everybody on this machine: use %s or a file", origin, s.env())
			continue
		}
		if seen[name] {
			l.fail("%s is given twice", origin)
			continue
		}
		seen[name] = true
		l.give(name, v, origin)
	}
	return false
}

// environment reads STREAMGEN_ variables. An empty one is none, except for a variable of the program: "" may be its value.
func (l *loader) environment(environ []string) {
	byEnv := map[string]*setting{}
	for i := range l.known {
		byEnv[l.known[i].env()] = &l.known[i]
	}
	for _, kv := range environ {
		name, v, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, "STREAMGEN_") {
			continue
		}
		v = strings.TrimRight(v, "\r\n") // of env files with Windows line ends
		s := byEnv[name]
		switch {
		case s != nil && (v != "" || strings.HasPrefix(s.name, "var.")):
			l.give(s.name, v, name)
		case s != nil:
		case strings.HasPrefix(name, "STREAMGEN_VAR_"), strings.HasPrefix(name, "STREAMGEN_SET_"):
			l.fail("%s: the program has no such %s", name, map[bool]string{true: "variable", false: "client option"}[name[10] == 'V'])
		default: // not an error: Kubernetes makes variables after the names of services
			l.warn = append(l.warn, name+" is not a setting and is ignored")
		}
	}
}

// file reads lines "name = value". A line that begins with # is a comment; the value is the rest of the line without
// space around it.
func (l *loader) file(path string) {
	b, err := os.ReadFile(path)
	if err != nil {
		l.fail("--config: %w", err)
		return
	}
	lines := map[string]int{}
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(string(b), "\ufeff")) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		origin := fmt.Sprintf("%s:%d", path, n)
		name, v, ok := strings.Cut(line, "=")
		name, v = strings.TrimSpace(name), strings.TrimSpace(v)
		switch {
		case !ok:
			l.fail("%s: %q is not name = value", origin, line)
		case l.find(name) == nil:
			l.unknown(origin, name)
		case name == "config":
			l.fail("%s: a file cannot name another", origin)
		case lines[name] > 0:
			l.fail("%s: %s is set before, at line %d", origin, name, lines[name])
		default:
			lines[name] = n
			l.give(name, v, origin)
		}
	}
}

// unknown reports a name that is no setting, with the nearest one that is.
func (l *loader) unknown(origin, name string) {
	best, distance := "", 4
	for _, s := range l.known {
		if d := editDistance(name, s.name); d < distance && d < len(name) {
			best, distance = s.name, d
		}
	}
	what, shown := "setting", name
	switch {
	case strings.HasPrefix(name, "set."):
		what, shown = "client option", name[4:]
	case strings.HasPrefix(name, "var."):
		what, shown = "runtime variable", name[4:]
	}
	hint := "--help lists all"
	if best != "" {
		hint = fmt.Sprintf("did you mean %q?", strings.TrimPrefix(strings.TrimPrefix(best, "set."), "var."))
	}
	l.fail("%s: there is no %s %q (%s)", origin, what, shown, hint)
}

// apply parses defaults, then what was given.
func (l *loader) apply() *Config {
	c := &raw{}
	c.Warnings = l.warn
	defaults := map[string]topology.Variable{}
	for _, v := range l.program.Variables {
		defaults["var."+v.Name] = v
	}
	for _, s := range l.known {
		v, ok := l.given[s.name]
		if d, isVar := defaults[s.name]; isVar && !ok {
			if !d.HasDefault {
				l.fail("variable %q has no value: --var %s=…, or %s", d.Name, d.Name, s.env())
				continue
			}
			v, ok = value{d.Default, "default of variable " + d.Name}, true
		}
		if !ok {
			if s.deflt == "" {
				continue
			}
			v = value{s.deflt, "default of " + s.name}
		}
		if err := s.set(c, v.value); err != nil {
			l.fail("%s: %w", v.origin, err)
		}
	}
	if l.given["brokers"].value == "" {
		l.fail("brokers are not set: --brokers host:port, or STREAMGEN_BROKERS")
	}
	if len(l.errs) == 0 {
		l.errs = c.finish()
	}
	return &c.Config
}

// editDistance is Levenshtein's.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
