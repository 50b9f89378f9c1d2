package state

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
)

// flushAfter is how old, in milliseconds of the epochs' wall time, what is not on disk may become while a task commits.
// It bounds what a crash leaves to be restored, and keeps the wall time on disk close to the truth.
const flushAfter = 60_000

// maxFile is the size of the files on disk. The filter of a file is one block of the cache: it should be small beside it.
const maxFile = 8 << 20

// Pebble is the Backend on disk: one database a task, without a write-ahead log. The changelog is the log. After a crash it
// holds a prefix of the epochs that were applied, and its checkpoint says which.
type Pebble struct {
	dir     string
	db      *pebble.DB
	lock    *pebble.Lock
	schemas []Schema

	apply   sync.Mutex // one Apply at a time
	flushed int64      // wall time of the epoch at the last flush
	scratch []byte

	mu         sync.RWMutex // checkpoint is written with both held
	checkpoint Checkpoint
}

// Keys of what the backend itself writes, below ReservedID.
var (
	formatKey     = []byte{0xff, 0xff, 'f'}
	schemaKeys    = []byte{0xff, 0xff, 's'} // · store id
	checkpointKey = []byte{0xff, 0xff, 'c'}
	afterAll      = []byte{0xff, 0xff, 0xff}
)

// format is the version of the layout of keys and rows.
const format = "streamgen state 1"

// Open opens the database of a task in dir, making it if there is none, for its stores. It returns ErrForeign, ErrLocked,
// ErrCorrupt or a *SchemaError, wrapped, for a directory that cannot be used. What the database holds of stores that are no
// longer among the task's is dropped: it can be restored from their changelogs.
func (s *Shared) Open(dir string, stores []Schema) (*Pebble, error) {
	if err := s.fs.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("state in %s: %w", dir, err)
	}
	if err := s.check(dir); err != nil {
		return nil, fmt.Errorf("state in %s: %w", dir, err)
	}
	lock, err := pebble.LockDirectory(dir, s.fs)
	if err != nil {
		if !errors.Is(err, os.ErrPermission) {
			err = fmt.Errorf("%w: %w", ErrLocked, err)
		}
		return nil, fmt.Errorf("state in %s: %w", dir, err)
	}
	p := &Pebble{dir: dir, lock: lock, schemas: stores}
	if p.db, err = pebble.Open(dir, s.options(dir, lock)); err != nil {
		return nil, errors.Join(fmt.Errorf("state in %s: %w", dir, openError(err)), lock.Close())
	}
	if err := p.read(); err != nil {
		return nil, errors.Join(fmt.Errorf("state in %s: %w", dir, err), p.db.Close(), lock.Close())
	}
	return p, nil
}

// check refuses a directory that has files in it and is no database.
func (s *Shared) check(dir string) error {
	entries, err := s.fs.List(dir)
	if err != nil || len(entries) == 0 {
		return err
	}
	desc, err := pebble.Peek(dir, s.fs)
	if err != nil {
		return openError(err)
	}
	if !desc.Exists {
		return ErrForeign
	}
	return nil
}

func (s *Shared) options(dir string, lock *pebble.Lock) *pebble.Options {
	o := &pebble.Options{
		Cache:              s.cache,
		FileCache:          s.files,
		FS:                 s.fs,
		Lock:               lock,
		DisableWAL:         true,
		MemTableSize:       s.memtable,
		FormatMajorVersion: pebble.FormatColumnarBlocks,
		Logger:             logger{s.logger.With("state", dir)},
	}
	for i := range o.Levels {
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
		o.TargetFileSizes[i] = min(int64(2<<20)<<i, maxFile)
	}
	return o
}

// openError takes what goes wrong in opening a database that exists for damage, unless the operating system says otherwise.
func openError(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) && errno != syscall.ENOENT {
		return err
	}
	return fmt.Errorf("%w, remove the directory, its stores are then restored from their changelogs: %w", ErrCorrupt, err)
}

// read checks whose database it is, and reads its checkpoint.
func (p *Pebble) read() error {
	found, ok, err := p.Get(nil, formatKey)
	if err != nil {
		return err
	}
	if !ok {
		return p.begin()
	}
	if string(found) != format {
		return fmt.Errorf("%w: its format is %q, this program's is %q", ErrForeign, found, format)
	}
	row, _, err := p.Get(nil, checkpointKey)
	if err != nil {
		return err
	}
	if p.checkpoint, err = readCheckpoint(row); err != nil {
		return fmt.Errorf("%w: checkpoint: %w", ErrCorrupt, err)
	}
	p.flushed = p.checkpoint.Wall
	return p.compare()
}

// begin writes what a new database begins with, onto the disk: until then it is empty, and may be begun again.
func (p *Pebble) begin() error {
	err := p.Scan([]byte{0}, afterAll, func(_, _ []byte) error { return ErrForeign })
	if err != nil {
		return err
	}
	b := p.db.NewBatch()
	defer b.Close()
	err = errors.Join(b.Set(formatKey, []byte(format), nil), b.Set(checkpointKey, p.checkpoint.append(nil), nil))
	for _, s := range p.schemas {
		err = errors.Join(err, b.Set(schemaKey(s.ID), appendSchema(nil, s), nil))
	}
	return errors.Join(err, b.Commit(pebble.NoSync), p.db.Flush())
}

// compare holds the stores that the database was made for against those it is opened for.
func (p *Pebble) compare() error {
	known := map[uint16]Schema{}
	var gone []uint16
	err := p.Scan(schemaKeys, append(bytes.Clone(schemaKeys), 0xff, 0xff, 0xff), func(key, row []byte) error {
		s, err := readSchema(key, row)
		if err != nil {
			return err
		}
		known[s.ID] = s
		gone = append(gone, s.ID)
		return nil
	})
	if err != nil {
		return err
	}
	b := p.db.NewBatch()
	defer b.Close()
	for _, want := range p.schemas {
		found, ok := known[want.ID]
		if ok && (found.Name != want.Name || found.Fingerprint != want.Fingerprint) {
			return &SchemaError{Where: p.dir, Found: found, Want: want}
		}
		if !ok {
			err = errors.Join(err, b.Set(schemaKey(want.ID), appendSchema(nil, want), nil))
		}
		delete(known, want.ID)
	}
	for _, id := range gone {
		if _, ok := known[id]; !ok {
			continue
		}
		all := wholeStore(id)
		err = errors.Join(err, b.DeleteRange(all.From, all.To, nil), b.Delete(schemaKey(id), nil))
		p.checkpoint.forget(id)
	}
	if err != nil || b.Empty() {
		return err
	}
	return errors.Join(b.Set(checkpointKey, p.checkpoint.append(nil), nil), b.Commit(pebble.NoSync), p.db.Flush())
}

// Schemas implements Backend.
func (p *Pebble) Schemas() []Schema { return p.schemas }

// Get implements Backend.
func (p *Pebble) Get(dst, key []byte) ([]byte, bool, error) {
	v, closer, err := p.db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return dst, false, nil
	}
	if err != nil {
		return dst, false, p.fault(err)
	}
	dst = append(dst, v...)
	return dst, true, closer.Close()
}

// Scan implements Backend.
func (p *Pebble) Scan(from, to []byte, f func(key, row []byte) error) error {
	it, err := p.db.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: to})
	if err != nil {
		return p.fault(err)
	}
	for ok := it.First(); ok; ok = it.Next() {
		row, err := it.ValueAndErr()
		if err == nil {
			err = f(it.Key(), row)
		}
		if err != nil {
			_ = it.Close()
			return err
		}
	}
	if err := it.Close(); err != nil {
		return p.fault(err)
	}
	return nil
}

// Apply implements Backend.
func (p *Pebble) Apply(f *Frozen) error {
	p.apply.Lock()
	defer p.apply.Unlock()
	next := p.checkpoint.merged(f)
	b := p.db.NewBatch()
	defer b.Close()
	for _, r := range f.Ranges {
		if t := schemas(p.schemas).timesIn(r); t > 0 {
			err := p.Scan(r.From, r.To, func(key, _ []byte) error {
				p.scratch = indexKey(p.scratch[:0], key, t)
				return b.Delete(p.scratch, nil)
			})
			if err != nil {
				return err
			}
		}
		if err := b.DeleteRange(r.From, r.To, nil); err != nil {
			return p.fault(err)
		}
	}
	for i := range f.Changes {
		c := &f.Changes[i]
		var err error
		if c.Row == nil {
			err = b.Delete(c.Key, nil)
		} else {
			err = b.Set(c.Key, c.Row, nil)
		}
		if t := schemas(p.schemas).times(c.Store); t > 0 && err == nil {
			p.scratch = indexKey(p.scratch[:0], c.Key, t)
			if c.Row == nil {
				err = b.Delete(p.scratch, nil)
			} else {
				err = b.Set(p.scratch, nil, nil)
			}
		}
		if err != nil {
			return p.fault(err)
		}
	}
	p.scratch = next.append(p.scratch[:0])
	if err := b.Set(checkpointKey, p.scratch, nil); err != nil {
		return p.fault(err)
	}
	if err := b.Commit(pebble.NoSync); err != nil {
		return p.fault(err)
	}
	p.mu.Lock()
	p.checkpoint = next
	p.mu.Unlock()
	if next.Wall-p.flushed >= flushAfter {
		return p.flush()
	}
	return nil
}

// Checkpoint implements Backend.
func (p *Pebble) Checkpoint() Checkpoint {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.checkpoint.clone()
}

// Flush begins to make what is applied durable, and does not wait for it. Apply calls it now and then; a task that became
// idle has to.
func (p *Pebble) Flush() error {
	p.apply.Lock()
	defer p.apply.Unlock()
	return p.flush()
}

func (p *Pebble) flush() error {
	p.flushed = p.checkpoint.Wall
	if _, err := p.db.AsyncFlush(); err != nil {
		return p.fault(err)
	}
	return nil
}

// Close implements Backend. Without a log, what is not flushed would have to be restored.
func (p *Pebble) Close() error {
	if err := errors.Join(p.db.Flush(), p.db.Close(), p.lock.Close()); err != nil {
		return p.fault(err)
	}
	return nil
}

func (p *Pebble) fault(err error) error {
	if pebble.IsCorruptionError(err) {
		err = fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return fmt.Errorf("state in %s: %w", p.dir, err)
}

func schemaKey(id uint16) []byte {
	return append(bytes.Clone(schemaKeys), byte(id>>8), byte(id))
}

func appendSchema(dst []byte, s Schema) []byte {
	return appendText(appendText(dst, s.Name), s.Fingerprint)
}

func readSchema(key, row []byte) (Schema, error) {
	r := reader{src: row}
	s := Schema{Name: r.text(), Fingerprint: r.text()}
	if r.err != nil || len(key) != len(schemaKeys)+2 {
		return s, fmt.Errorf("%w: schema of a store", ErrCorrupt)
	}
	s.ID = uint16(key[len(schemaKeys)])<<8 | uint16(key[len(schemaKeys)+1])
	return s, nil
}

// logger passes Pebble's messages on.
type logger struct{ log *slog.Logger }

// Infof implements pebble.Logger. It is called for every flush and compaction, with arguments dear to print.
func (l logger) Infof(string, ...any) {}

// Errorf implements pebble.Logger.
func (l logger) Errorf(format string, args ...any) { l.log.Error(fmt.Sprintf(format, args...)) }

// Fatalf implements pebble.Logger: it is called when the database cannot go on. The process ends: its state is a prefix of what was committed.
func (l logger) Fatalf(format string, args ...any) {
	l.log.Error(fmt.Sprintf(format, args...))
	panic("state: " + fmt.Sprintf(format, args...))
}
