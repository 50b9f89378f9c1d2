// Package modproxy gives Go's tools the runtime that this build of the command belongs to.
//
// Generated code imports the runtime as any other module. A release of the command names the release of the runtime. A
// development build has no release to name: it carries the runtime's source and lays it out as a module proxy in the user's
// cache directory, under a pseudo-version that follows from the content. So nobody's go.mod needs a replace or a path, and
// no network is needed for it.
package modproxy

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	modzip "golang.org/x/mod/zip"

	"github.com/streamgen/streamgen"
)

// Version is the version of the runtime that generated code must be built against, and whether it is a release that Go's tools
// find by themselves.
func Version() (version string, release bool) {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Path == streamgen.Module {
		if v := info.Main.Version; semver.IsValid(v) && !module.IsPseudoVersion(v) && semver.Build(v) == "" {
			return v, true
		}
	}
	return "v0.0.0-" + date + "-" + content()[:12], false
}

// date is the same for all development builds: their order has no meaning.
const date = "20260101000000"

// content is the hash of all files of the module, with their names.
var content = sync.OnceValue(func() string {
	h := sha256.New()
	for _, f := range files() {
		data, err := fs.ReadFile(streamgen.Source, f.path)
		if err != nil {
			panic(err) // embedded
		}
		sum := sha256.Sum256(data)
		fmt.Fprintf(h, "%x %s\n", sum, f.path)
	}
	return hex.EncodeToString(h.Sum(nil))
})

// Provide sees to it that Go's module cache holds the runtime. It takes no network, and does nothing if the runtime is there.
func Provide(env []string) error {
	version, release := Version()
	if release {
		return nil // as any other module
	}
	cache, err := goEnv(env, "GOMODCACHE")
	if err != nil {
		return err
	}
	v := filepath.FromSlash(streamgen.Module)
	if exists(filepath.Join(cache, "cache", "download", v, "@v", version+".ziphash")) && exists(filepath.Join(cache, v+"@"+version, "runtime")) {
		return nil
	}
	proxy, temporary, err := directory()
	if err != nil {
		return err
	}
	if temporary {
		defer os.RemoveAll(proxy)
	}
	if err := Write(proxy); err != nil {
		return fmt.Errorf("cannot lay out the runtime: %w", err)
	}
	work, err := os.MkdirTemp("", "streamgen")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	cmd := exec.Command("go", "mod", "download", streamgen.Module+"@"+version)
	cmd.Dir = work // outside of every module: its settings do not matter
	cmd.Env = append(env, "GOPROXY="+fileURL(proxy), "GONOPROXY=none", "GOPRIVATE=", "GONOSUMDB="+streamgen.Module, "GOFLAGS=", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("cannot put the runtime into Go's module cache: %w\n%s", err, bytes.TrimSpace(out))
	}
	return nil
}

// directory is where the proxy lies: in the user's cache, or in a temporary place where there is none.
func directory() (dir string, temporary bool, err error) {
	if cache, err := os.UserCacheDir(); err == nil {
		dir = filepath.Join(cache, "streamgen", "proxy")
		if err := os.MkdirAll(dir, 0o755); err == nil {
			return dir, false, nil
		}
	}
	dir, err = os.MkdirTemp("", "streamgen-proxy")
	return dir, true, err
}

func fileURL(dir string) string {
	slashed := filepath.ToSlash(dir)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed
	}
	// What has a meaning in a URL or in a list of proxies is escaped.
	return "file://" + strings.NewReplacer("%", "%25", " ", "%20", ",", "%2C", "|", "%7C", "?", "%3F", "#", "%23").Replace(slashed)
}

// Write lays out the runtime below dir in the form of the module proxy protocol. Files that are there stay.
func Write(dir string) error {
	version, _ := Version()
	at := filepath.Join(dir, filepath.FromSlash(streamgen.Module), "@v")
	if err := os.MkdirAll(at, 0o755); err != nil {
		return err
	}
	mod, err := fs.ReadFile(streamgen.Source, "go.mod")
	if err != nil {
		return err
	}
	info, err := json.Marshal(map[string]string{"Version": version, "Time": "2026-01-01T00:00:00Z"})
	if err != nil {
		return err
	}
	var archive bytes.Buffer
	if err := Zip(&archive); err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		data []byte
	}{{version + ".info", info}, {version + ".mod", mod}, {version + ".zip", archive.Bytes()}} {
		if err := writeFile(filepath.Join(at, f.name), f.data); err != nil {
			return err
		}
	}
	return nil
}

// writeFile writes a file whole or not at all: other builds may be reading.
func writeFile(name string, data []byte) error {
	if exists(name) {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if e := f.Chmod(0o644); err == nil {
		err = e
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// Zip writes the module's archive. The same source gives the same bytes.
func Zip(w io.Writer) error {
	version, _ := Version()
	var list []modzip.File
	for _, f := range files() {
		list = append(list, f)
	}
	return modzip.Create(w, module.Version{Path: streamgen.Module, Version: version}, list)
}

// files are what the module consists of: no tests, and none of their data.
func files() []file {
	var list []file
	err := fs.WalkDir(streamgen.Source, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "testdata":
			return fs.SkipDir
		case d.IsDir() || strings.HasSuffix(p, "_test.go"):
			return nil
		}
		list = append(list, file{p})
		return nil
	})
	if err != nil {
		panic(err) // embedded
	}
	return list
}

// file is an embedded file as golang.org/x/mod/zip wants it.
type file struct{ path string }

func (f file) Path() string                 { return f.path }
func (f file) Lstat() (fs.FileInfo, error)  { return fs.Stat(streamgen.Source, f.path) }
func (f file) Open() (io.ReadCloser, error) { return streamgen.Source.Open(f.path) }

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func goEnv(env []string, name string) (string, error) {
	cmd := exec.Command("go", "env", name)
	cmd.Env = env
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go env: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}
