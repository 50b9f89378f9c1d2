// Package vectors tests specs against recorded runs: it generates their packages, links all of them with the runner
// (runtime/testdriver/vectors) into one binary, and plays the vectors through it.
//
// It stands behind emit, beside output: the generated files go into an overlay for the go command, so nothing is written
// where the specs are.
package vectors

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/streamgen/streamgen/spec"
)

// Pair is a spec and the scenario that it is held to.
type Pair struct {
	Name string // of the scenario
	Spec string // directory
	Dir  string // directory of the scenario
}

// Pairs finds what to test. specs is the directory of a spec, or of directories of specs; vectors is the directory of a
// scenario (scenario.json and its vectors), or of directories of scenarios. A spec goes with the scenario of the same name;
// a single spec also with the only scenario. left names specs and scenarios that have no partner.
func Pairs(specs, vectors string) (pairs []Pair, left []string, err error) {
	specDirs, err := below(specs, isSpec)
	if err != nil {
		return nil, nil, err
	}
	scenarios, err := below(vectors, isScenario)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case len(specDirs) == 0:
		return nil, nil, fmt.Errorf("there is no spec in %s or in the directories below it", specs)
	case len(scenarios) == 0:
		return nil, nil, fmt.Errorf("there are no vectors in %s or in the directories below it: a scenario is a directory with scenario.json", vectors)
	case len(specDirs) == 1 && len(scenarios) == 1:
		return []Pair{{name(scenarios[0]), specDirs[0], scenarios[0]}}, nil, nil
	}
	partners := map[string]bool{}
	for _, dir := range specDirs {
		i := slices.IndexFunc(scenarios, func(s string) bool { return name(s) == name(dir) })
		if i < 0 {
			left = append(left, dir)
			continue
		}
		partners[scenarios[i]] = true
		pairs = append(pairs, Pair{name(dir), dir, scenarios[i]})
	}
	for _, s := range scenarios {
		if !partners[s] {
			left = append(left, s)
		}
	}
	if len(pairs) == 0 {
		return nil, left, fmt.Errorf("no spec in %s has the name of a scenario in %s", specs, vectors)
	}
	return pairs, left, nil
}

// below is dir itself if it is one, else the directories in it that are, in order of name.
func below(dir string, is func(string) bool) ([]string, error) {
	if is(dir) {
		return []string{dir}, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var dirs []string
	for _, e := range entries {
		if sub := filepath.Join(dir, e.Name()); e.IsDir() && is(sub) {
			dirs = append(dirs, sub)
		}
	}
	return dirs, nil
}

func isSpec(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !e.IsDir() && spec.IsSpec(e.Name()) })
}

func isScenario(dir string) bool {
	return slices.ContainsFunc([]string{"scenario.json", "scenario.json.gz", "vectors.zip"}, func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return !errors.Is(err, fs.ErrNotExist)
	})
}

func name(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		abs = dir
	}
	return strings.TrimSpace(filepath.Base(abs))
}
