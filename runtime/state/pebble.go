package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
)

// flushAfter is how old, in milliseconds of the epochs' wall time, what is not on disk may become while a task commits.
// It bounds what a crash leaves to be restored, and keeps the wall time on disk close to the truth.
const flushAfter = 60_000

// Files on the disk are about as large as what is flushed at a time, on the highest level, and twice that on each one below. Larger ones would
// be written again, whole, for each flush that has a key in their range; the filter of a file is one block of the cache, and should be
// small beside it.
const (
	minFile = 512 << 10
	maxFile = 8 << 20
)

// Pebble is the Backend on disk: one database a task, without a write-ahead log. The changelog is the log. Pebble itself gets the
// rows of several epochs at once (see staged). After a crash it holds a prefix of the epochs that were applied, and its checkpoint says which.
type Pebble struct {
	dir     string
	db      *pebble.DB
	lock    *pebble.Lock
	schemas []Schema

	apply   sync.Mutex // one Apply at a time
	flushed int64      // wall time of the epoch at the last flush
	room    int        // of staged
	direct  int        // so many epochs go to Pebble at once
	writes  uint64     // the number of the last one
	scratch []byte
	hashes  []uint32 // scratch, of a part that is staged

	mu         sync.RWMutex // the following are written with both held
	checkpoint Checkpoint
	staged     staged
	spare      staged // empty: for what is left of staged
	expired    expired
	behind     bool // checkpoint is not Pebble's, which lacks what is staged
}

// directEpochs is how many epochs are not staged after a scan that met what was: another one will come.
const directEpochs = 16

// Keys of what the backend itself writes, below ReservedID.
var (
	formatKey     = []byte{0xff, 0xff, 'f'}
	schemaKeys    = []byte{0xff, 0xff, 's'} // · store id
	checkpointKey = []byte{0xff, 0xff, 'c'}
	writeKey      = []byte{0xff, 0xff, 'w'} // Pebble.writes
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
	p := &Pebble{dir: dir, lock: lock, schemas: stores, room: int(s.memtable / 2)} // as much again when they go to Pebble
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
	file := min(max(int64(s.memtable), minFile), maxFile/2)
	for i := range o.Levels {
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
		o.TargetFileSizes[i] = min(file<<max(i-1, 0), maxFile) // 0: of what is flushed, 1: of the highest level below
	}
	o.TargetFileSizes[0] = min(file, maxFile/4)
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
	if p.writes, err = p.durable(); err != nil {
		return err
	}
	return p.compare()
}

// begin writes what a new database begins with, onto the disk: until then it is empty, and may be begun again.
func (p *Pebble) begin() error {
	err := p.scan([]byte{0}, afterAll, func(_, _ []byte) error { return ErrForeign })
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

// Schemas implements Backend.
func (p *Pebble) Schemas() []Schema { return p.schemas }

// Get implements Backend.
func (p *Pebble) Get(dst, key []byte) ([]byte, bool, error) {
	p.mu.RLock()
	if covering(p.expired.hidden, key) != nil {
		p.mu.RUnlock()
		return dst, false, nil
	}
	row, ok, known := p.staged.get(dst, key)
	p.mu.RUnlock()
	if known {
		return row, ok, nil
	}
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
	p.mu.RLock()
	meets := p.staged.meets(from, to)
	p.mu.RUnlock()
	if meets {
		if err := p.unstage(); err != nil {
			return err
		}
	}
	return p.scan(from, to, f)
}

// unstage takes what is staged to Pebble, since somebody asks for it in order.
func (p *Pebble) unstage() error {
	p.apply.Lock()
	defer p.apply.Unlock()
	p.direct = directEpochs
	return p.drain()
}

// scan calls f for the rows of a range that Pebble has.
func (p *Pebble) scan(from, to []byte, f func(key, row []byte) error) error {
	p.mu.RLock()
	hidden := p.expired.hidden
	p.mu.RUnlock()
	it, err := p.db.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: to})
	if err != nil {
		return p.fault(err)
	}
	for ok := it.First(); ok; {
		if r := covering(hidden, it.Key()); r != nil {
			ok = it.SeekGE(r.To)
			continue
		}
		row, err := it.ValueAndErr()
		if err == nil {
			err = f(it.Key(), row)
		}
		if err != nil {
			_ = it.Close()
			return err
		}
		ok = it.Next()
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
	bytes, large := 0, false
	for i := range f.Changes {
		key, row := len(f.Changes[i].Key), len(f.Changes[i].Row)
		bytes += key + row
		large = large || key+stagedIndex > maxStaged || row > maxStaged
	}
	indexed := slices.ContainsFunc(f.Ranges, func(r Range) bool { return schemas(p.schemas).timesIn(r) > 0 })
	next := p.checkpoint.merged(f)
	restored := len(f.Changes) > 0 && (f.restored || f.Epoch == 0)
	direct := p.direct > 0 || indexed || large || bytes > p.room/2 || restored && len(p.expired.hidden) > 0
	if !direct && p.staged.memory()+bytes > p.room {
		p.leaveOut()
	}
	if direct || p.staged.memory()+bytes > p.room {
		if err := p.drain(); err != nil {
			return err
		}
	}
	if direct {
		p.direct = max(p.direct-1, 0)
		if err := p.write(f, &next, restored); err != nil {
			return err
		}
	} else {
		p.stage(f)
	}
	p.mu.Lock()
	p.checkpoint, p.behind = next, !direct
	for _, r := range f.Expired {
		p.expired.add(r)
	}
	p.mu.Unlock()
	if next.Wall-p.flushed >= flushAfter {
		_, err := p.flush() // which Apply does not wait for
		return err
	}
	return nil
}

// stage keeps the changes of an epoch until others have come.
func (p *Pebble) stage(f *Frozen) {
	p.mu.Lock()
	for _, r := range f.Ranges {
		p.staged.deleteRange(r)
	}
	p.mu.Unlock()
	for part := range slices.Chunk(f.Changes, stagedPart) {
		p.hashes = p.staged.touch(p.hashes, part)
		p.mu.Lock()
		for i := range part {
			c := &part[i]
			p.staged.putHashed(p.hashes[i], c.Key, c.Row, c.Row == nil)
			if t := schemas(p.schemas).times(c.Store); t > 0 {
				p.scratch = indexKey(p.scratch[:0], c.Key, t)
				p.staged.put(p.scratch, nil, c.Row == nil)
			}
		}
		p.mu.Unlock()
	}
}

// leaveOut makes room in what is staged, if enough of it is void: that goes.
func (p *Pebble) leaveOut() {
	if p.void(); !p.staged.worthwhile() {
		return
	}
	p.spare.without(&p.staged)
	p.mu.Lock()
	p.staged, p.spare = p.spare, p.staged
	p.mu.Unlock()
	p.spare.reset()
}

// void voids what has expired of what is staged. Nobody asks for it, so that waits until it matters.
func (p *Pebble) void() {
	p.mu.Lock()
	p.staged.void(p.expired.hidden)
	p.mu.Unlock()
}

// drain writes what is staged. The checkpoint is that of the last epoch that was.
func (p *Pebble) drain() error {
	if !p.behind {
		return nil
	}
	p.void()
	p.spare = staged{} // its memory is what the batch takes
	b := p.db.NewBatchWithSize(p.staged.memory())
	defer b.Close()
	for _, r := range p.staged.ranges {
		if err := b.DeleteRange(r.From, r.To, nil); err != nil {
			return p.fault(err)
		}
	}
	for i := range p.staged.rows {
		r := &p.staged.rows[i]
		var err error
		switch r.now {
		case stagedSet:
			err = b.Set(p.staged.keyOf(r), p.staged.rowOf(r), nil)
		case stagedDeleted:
			err = b.Delete(p.staged.keyOf(r), nil)
		}
		if err != nil {
			return p.fault(err)
		}
	}
	if err := p.commit(b, &p.checkpoint); err != nil {
		return err
	}
	p.mu.Lock()
	p.staged.reset()
	p.behind = false
	p.mu.Unlock()
	return p.cut()
}

// write writes an epoch. One that restores may bring rows back that had expired.
func (p *Pebble) write(f *Frozen, next *Checkpoint, restored bool) error {
	b := p.db.NewBatch()
	defer b.Close()
	if restored {
		if err := p.settle(b); err != nil {
			return err
		}
	}
	for _, r := range f.Ranges {
		if t := schemas(p.schemas).timesIn(r); t > 0 {
			err := p.scan(r.From, r.To, func(key, _ []byte) error {
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
	if err := p.commit(b, next); err != nil {
		return err
	}
	if restored {
		p.mu.Lock()
		p.expired = expired{}
		p.mu.Unlock()
	}
	return p.cut()
}

// commit writes a batch, and how far the rows go with it.
func (p *Pebble) commit(b *pebble.Batch, c *Checkpoint) error {
	p.scratch = c.append(p.scratch[:0])
	if err := b.Set(checkpointKey, p.scratch, nil); err != nil {
		return p.fault(err)
	}
	p.writes++
	if err := b.Set(writeKey, binary.BigEndian.AppendUint64(p.scratch[:0], p.writes), nil); err != nil {
		return p.fault(err)
	}
	if err := b.Commit(pebble.NoSync); err != nil {
		return p.fault(err)
	}
	return nil
}

// Checkpoint implements Backend.
func (p *Pebble) Checkpoint() Checkpoint {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.checkpoint.clone()
}

// Flush makes what is applied durable.
func (p *Pebble) Flush() error {
	p.apply.Lock()
	done, err := p.flush()
	p.apply.Unlock()
	if err == nil {
		<-done
	}
	return err
}

// flush begins to make what is applied durable: done is closed when it is.
func (p *Pebble) flush() (done <-chan struct{}, err error) {
	if err := p.drain(); err != nil {
		return nil, err
	}
	p.flushed = p.checkpoint.Wall
	if done, err = p.db.AsyncFlush(); err != nil {
		return nil, p.fault(err)
	}
	return done, nil
}

// Close implements Backend. Without a log, what is not flushed would have to be restored.
func (p *Pebble) Close() error {
	err := errors.Join(p.drain(), p.db.Flush())
	for range 2 { // what waits, behind what is next
		if err == nil {
			err = p.cut()
		}
	}
	if err := errors.Join(err, p.db.Close(), p.lock.Close()); err != nil {
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
