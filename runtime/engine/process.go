package engine

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/streamgen/streamgen/runtime/state"
)

// process is the state directory of an app in one process: its lock, and an id that a restart keeps, so that its
// transactional ids fence what the killed one left open.
type process struct {
	dir  string
	id   string
	lock *os.File
}

// openProcess locks the directory and reads the id, making both if they are not there.
func openProcess(dir string) (*process, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("state directory: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("state directory: %w", err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		lock.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("state directory %s: %w: give each its own", dir, state.ErrLocked)
		}
		return nil, fmt.Errorf("lock state directory %s: %w", dir, err)
	}
	p := &process{dir: dir, lock: lock}
	if p.id, err = readID(filepath.Join(dir, "process-id")); err != nil {
		lock.Close()
		return nil, err
	}
	return p, nil
}

// readID reads the id of the process, or makes it.
func readID(file string) (string, error) {
	b, err := os.ReadFile(file)
	if id := strings.TrimSpace(string(b)); err == nil && id != "" {
		return id, nil
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("state directory: %w", err)
	}
	random := make([]byte, 8)
	_, _ = rand.Read(random) // never fails
	id := hex.EncodeToString(random)
	// A crash between the two leaves the old name or the new one, never half an id.
	if err := os.WriteFile(file+".new", []byte(id+"\n"), 0o644); err != nil {
		return "", fmt.Errorf("state directory: %w", err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		return "", fmt.Errorf("state directory: %w", err)
	}
	return id, nil
}

// taskDir is the directory of a task's database.
func (p *process) taskDir(name string) string { return filepath.Join(p.dir, "tasks", name) }

// globalDir is the directory of a global table's database.
func (p *process) globalDir(name string) string { return filepath.Join(p.dir, "globals", name) }

// making is called before the database in dir is opened, done after it was. In between a file beside dir says that it is being
// made; what a crash has left of such a one is removed.
func (p *process) making(dir string) (done func() error, err error) {
	file := dir + ".making"
	_, err = os.Stat(file)
	if err == nil {
		err = os.RemoveAll(dir)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("state directory: %w", err)
	}
	if _, err := os.Stat(dir); err == nil {
		return func() error { return nil }, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, fmt.Errorf("state directory: %w", err)
	}
	if err := writeDurably(file); err != nil {
		return nil, fmt.Errorf("state directory: %w", err)
	}
	return func() error { return os.Remove(file) }, nil // one that a power cut brings back costs a restore
}

// writeDurably makes an empty file that a power cut leaves where it is: what is written after it is known to be unfinished.
func writeDurably(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(name))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// outdated are the names of the tasks whose databases were last written before that time.
func (p *process) outdated(before time.Time) []string {
	var names []string
	for _, name := range p.tasks() {
		if newest, err := newestFile(p.taskDir(name)); err == nil && newest.Before(before) {
			names = append(names, name)
		}
	}
	return names
}

// newestFile is when a directory or a file in it was last written.
func newestFile(dir string) (newest time.Time, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.ModTime().After(newest) {
			newest = info.ModTime()
		}
		return err
	})
	return newest, err
}

// tasks are the names of the tasks that have a directory.
func (p *process) tasks() []string {
	entries, err := os.ReadDir(filepath.Join(p.dir, "tasks")) // sorted
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

// close gives the directory free.
func (p *process) close() error { return p.lock.Close() }
