package kafkatest

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

//go:embed pom.xml
var pom []byte

// ErrMissing says that this machine cannot run a broker: Java or Maven is not there.
var ErrMissing = errors.New("kafkatest: no real broker here")

// jars returns the class path of the broker. Maven resolves it once for each content of pom.xml, into the user's cache
// folder; it comes into place at once, so that several test binaries may ask for it at the same time.
func jars(ctx context.Context) (string, error) {
	for _, tool := range []string{"java", "mvn"} {
		if _, err := exec.LookPath(tool); err != nil {
			return "", fmt.Errorf("%w: %s is not installed", ErrMissing, tool)
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "streamgen", fmt.Sprintf("kafka-%x", sha256.Sum256(pom))[:22])
	if _, err := os.Stat(dir); err == nil {
		return filepath.Join(dir, "*"), nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	work, err := os.MkdirTemp(filepath.Dir(dir), "resolving-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	file := filepath.Join(work, "pom.xml")
	if err := os.WriteFile(file, pom, 0o644); err != nil {
		return "", err
	}
	fresh := filepath.Join(work, "jars")
	out, err := exec.CommandContext(ctx, "mvn", "-q", "-B", "-f", file, "dependency:copy-dependencies", "-DincludeScope=runtime",
		"-DoutputDirectory="+fresh).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("kafkatest: mvn: %w\n%s", err, out)
	}
	if err := os.Rename(fresh, dir); err != nil {
		if _, there := os.Stat(dir); there != nil { // else somebody else was first
			return "", err
		}
	}
	return filepath.Join(dir, "*"), nil
}
