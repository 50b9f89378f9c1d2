package state

import (
	"encoding/binary"
	"fmt"
	"math"
)

// The stores of a join: how its rows lie in the backend, and what the commit protocol asks of them.
//
// The key of a row is bucket · length of the key · key · timestamp · sequence, all numbers big-endian and of 8 bytes but the length,
// which is a varint; times are shifted so that negative ones come first. Its value is a byte of flags, the headers if it has
// any, and the value of the record.
const (
	joinedMatched byte = 1 << iota
	joinedHeaders
)

const timeLen = 8

func appendTime(dst []byte, t int64) []byte {
	return binary.BigEndian.AppendUint64(dst, uint64(t)^(1<<63))
}

func readTime(src []byte) int64 { return int64(binary.BigEndian.Uint64(src) ^ (1 << 63)) }

// bucketOf is the bucket of a timestamp.
func (j *Joined) bucketOf(t int64) int64 {
	b := t / j.bucket
	if t < 0 && b*j.bucket != t {
		b--
	}
	return b
}

// appendPrefix is what the keys of all rows of a key in one bucket begin with.
func (j *Joined) appendPrefix(dst []byte, bucket int64, key []byte) []byte {
	dst = binary.AppendUvarint(appendTime(dst, bucket), uint64(len(key)))
	return append(dst, key...)
}

// appendKey is the store key of a row.
func (j *Joined) appendKey(dst []byte, timestamp int64, key []byte, seq uint64) []byte {
	dst = appendTime(j.appendPrefix(dst, j.bucketOf(timestamp), key), timestamp)
	return binary.BigEndian.AppendUint64(dst, seq)
}

// SplitJoined takes the store key of a join's row apart.
func SplitJoined(key []byte) (of []byte, timestamp int64, err error) {
	of, timestamp, _, err = splitJoined(key)
	return of, timestamp, err
}

func splitJoined(key []byte) (of []byte, timestamp int64, seq uint64, err error) {
	if len(key) < timeLen {
		return nil, 0, 0, errShort
	}
	n, w := binary.Uvarint(key[timeLen:])
	rest := key[timeLen:]
	if w <= 0 || uint64(len(rest)-w) != n+2*timeLen {
		return nil, 0, 0, errShort
	}
	of, rest = rest[w:w+int(n)], rest[w+int(n):]
	return of, readTime(rest), binary.BigEndian.Uint64(rest[timeLen:]), nil
}

// JoinedValue is the value of a join's row.
func JoinedValue(row []byte) ([]byte, error) {
	if len(row) == 0 {
		return nil, errShort
	}
	if row[0]&joinedHeaders == 0 {
		return row[1:], nil
	}
	_, value := readHeaders(row[1:])
	return value, nil
}

// JoinedJSON is the function that writes a join's row as JSON, from the one that writes its value.
func JoinedJSON(value func(dst, row []byte) ([]byte, error)) func(dst, row []byte) ([]byte, error) {
	return func(dst, row []byte) ([]byte, error) {
		v, err := JoinedValue(row)
		if err != nil {
			return dst, err
		}
		return value(dst, v)
	}
}

// begin looks once for what the backend holds. It reads none of it.
func (j *Joined) begin() error {
	if j.begun {
		return nil
	}
	for side := range j.sides {
		if sd := &j.sides[side]; Side(side) == sd.side {
			if err := sd.look(); err != nil {
				return fmt.Errorf("store %q: %w", sd.entry.Name, err)
			}
		}
	}
	j.begun = true
	return nil
}

// look finds out whether the backend has any row of the side, and which of those that wait leaves first.
func (sd *joinedSide) look() error {
	all := wholeStore(sd.entry.ID)
	err := sd.joined.stores.backend.Scan(all.From, all.To, func(_, _ []byte) error { return errFound })
	if err != errFound {
		return err
	}
	sd.cold = sd.joined.bucketOf(sd.clock.Time)
	if !sd.joined.keeps.side(sd.side) {
		return nil
	}
	return sd.listed.look(sd)
}

// find brings a key into memory and returns its number.
func (j *Joined) find(key []byte) (uint32, error) {
	hash := hashOf(key)
	if r, n := j.keys.find(hash, key); r != nil {
		r.used = true
		return n, nil
	}
	r, n := j.keys.insert(hash, key)
	r.Value.rows = [2]chain{{none, none}, {none, none}}
	for side := range j.sides {
		if sd := &j.sides[side]; Side(side) == sd.side {
			if err := j.load(sd, n, key); err != nil {
				j.dropKey(n)
				return 0, fmt.Errorf("store %q: read the rows of key %q: %w", sd.entry.Name, key, err)
			}
		}
	}
	return n, nil
}

// load reads the rows of a key.
func (j *Joined) load(sd *joinedSide, n uint32, key []byte) error {
	if sd.cold == Never {
		return nil
	}
	for b := j.bucketOf(min(sd.held(), sd.listed.first())); b <= sd.cold; b++ {
		j.key = j.appendPrefix(appendKey(j.key[:0], sd.entry.ID, nil), b, key)
		prefix := len(j.key)
		to := append(append([]byte(nil), j.key...), 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)
		err := j.stores.backend.Scan(j.key, to, func(at, row []byte) error {
			if len(at) != prefix+2*timeLen || len(row) < TimestampLen+1 {
				return errShort
			}
			return j.restore(sd, n, readTime(at[prefix:]), binary.BigEndian.Uint64(at[prefix+timeLen:]), row[TimestampLen:])
		})
		if err == nil && sd.cold-b > fewBuckets {
			b, err = sd.beforeNext(b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fewBuckets are looked through one by one.
const fewBuckets = 8

// beforeNext is the bucket before the next one behind b that has rows. Where time has jumped, those that still have to leave lie far from
// the others.
func (sd *joinedSide) beforeNext(b int64) (int64, error) {
	next := sd.cold + 1
	from := appendTime(appendKey(nil, sd.entry.ID, nil), b+1)
	err := sd.joined.stores.backend.Scan(from, wholeStore(sd.entry.ID).To, func(at, _ []byte) error {
		next = readTime(at[PrefixLen:])
		return errFound
	})
	if err == errFound {
		err = nil
	}
	return next - 1, err
}

// restore makes a row of the backend one in memory, unless nobody needs it.
func (j *Joined) restore(sd *joinedSide, key uint32, timestamp int64, seq uint64, row []byte) error {
	waits := j.keeps.side(sd.side) && row[0]&joinedMatched == 0
	if waits && sd.listed.left.compare(timestamp, j.keys.key(j.keys.row(key)), seq) >= 0 {
		return nil // the epoch in which it left is not applied
	}
	if timestamp < sd.held() && !waits {
		return nil
	}
	rest := row[1:]
	n, r := j.rows.add(rest, headersLen(row))
	r.timestamp, r.seq, r.key, r.side, r.written = timestamp, seq, key, sd.side, rowStored
	j.link(n, r)
	if waits {
		sd.waiting.push(n, r)
	}
	return nil
}

// headersLen is how many bytes of a row behind its flags are headers.
func headersLen(row []byte) uint32 {
	if row[0]&joinedHeaders == 0 {
		return 0
	}
	_, value := readHeaders(row[1:])
	return uint32(len(row) - 1 - len(value))
}

const (
	forgetFor = 2 // keys that are looked at for each record
)

// forget drops rows that expired, and keys without rows, bit by bit.
func (j *Joined) forget() {
	for range forgetFor {
		if j.keys.n == 0 {
			return
		}
		if j.hand >= j.keys.n {
			j.hand = 0
		}
		if j.expire(j.hand) && j.loose(j.hand) {
			j.removeKey(j.hand)
		}
		j.hand++
	}
}

// expire drops the rows of a key that are held no more, and says whether none is left.
func (j *Joined) expire(n uint32) bool {
	k := &j.keys.row(n).Value
	for side := range k.rows {
		for k.rows[side].head != none {
			at := k.rows[side].head
			r := j.rows.row(at)
			if r.timestamp >= j.sides[side].held() || r.state == rowWaits || r.written != rowStored {
				break
			}
			j.drop(at, r)
		}
	}
	return k.rows[Left].head == none && k.rows[Right].head == none
}

// loose says whether a key may leave the memory.
func (j *Joined) loose(n uint32) bool {
	k := &j.keys.row(n).Value
	return k.touched <= j.stores.applied
}

// dropKey forgets a key with its rows.
func (j *Joined) dropKey(n uint32) {
	k := &j.keys.row(n).Value
	for side := range k.rows {
		for k.rows[side].head != none {
			at := k.rows[side].head
			j.drop(at, j.rows.row(at))
		}
	}
	j.removeKey(n)
}

// removeKey takes a key without rows out; the last one gets its number.
func (j *Joined) removeKey(n uint32) {
	j.keys.remove(n)
	if n == j.keys.n {
		return
	}
	for _, ch := range j.keys.row(n).Value.rows {
		for at := ch.head; at != none; {
			r := j.rows.row(at)
			r.key, at = n, r.next
		}
	}
}

// freeze implements store: the changed rows of a side, and the range of what expired.
func (sd *joinedSide) freeze(f *Frozen) {
	j := sd.joined
	if sd.side == Left { // both sides count in one
		j.dirty, j.flying = 0, j.dirty
	}
	for _, n := range sd.changed {
		r := j.rows.row(n)
		written := r.written
		r.written = rowStored
		if r.state == rowGone && written == rowNew { // made and left within the epoch
			j.drop(n, r)
			continue
		}
		key := j.keys.key(j.keys.row(r.key))
		j.key = j.appendKey(j.key[:0], r.timestamp, key, r.seq)
		c := f.change(sd.entry.ID, j.key, r.timestamp)
		if r.state == rowGone {
			j.drop(n, r)
			continue
		}
		flags := byte(0)
		if r.state != rowWaits {
			flags |= joinedMatched
		}
		if r.head > 0 {
			flags |= joinedHeaders
		}
		c.Row = f.arena.Keep(append(append(f.rowTail(r.timestamp), flags), j.rows.all(r)...))
		if waits := r.state == rowWaits; waits || written == rowChanged { // then it waited
			f.listWaiting(sd.entry.ID, r.timestamp, key, r.seq, waits)
		}
	}
	sd.changed = sd.changed[:0]
	sd.listed.freeze(f, sd.entry.ID)
	sd.cutOff(f)
}

// cutOff adds the range of the buckets that nobody needs any more. Nothing of it is in the changelog: the range follows from
// the clocks.
func (sd *joinedSide) cutOff(f *Frozen) {
	j := sd.joined
	if sd.clock.Time == Never || !j.begun {
		return
	}
	sd.waits.frozen = sd.oldest()
	cut := j.bucketOf(min(sd.held(), sd.oldest()))
	if cut <= sd.cut {
		return
	}
	sd.cut = cut
	id := sd.entry.ID
	f.Ranges = append(f.Ranges, Range{
		From: f.arena.Keep(appendKey(f.arena.Tail(), id, nil)),
		To:   f.arena.Keep(appendTime(appendKey(f.arena.Tail(), id, nil), cut)),
	})
}

func (sd *joinedSide) applied() {
	sd.joined.flying, sd.waits.applied = 0, sd.waits.frozen
	sd.waiting.tidy()
	if latest := sd.clock.frozen; sd.outdated.due(latest, sd.joined.within.held()) {
		sd.outdated.mark(sd.joined.stores.backend.Checkpoint(), sd.entry.ID, latest)
	}
}

// expired is the offset of the changelog before which all rows that are committed are held no more and wait no more, if it has moved.
func (sd *joinedSide) expired() (offset int64, moved bool) {
	return sd.outdated.before(min(before(sd.clock.applied, sd.joined.within.held()), before(sd.waits.applied, 1)))
}

// discard forgets everything. What is needed is read again.
func (sd *joinedSide) discard() error {
	j := sd.joined
	j.keys, j.rows, j.begun = table[joinedKey]{}, joinedRows{}, false
	j.hand, j.sweep, j.dirty, j.flying = 0, 0, 0, 0
	sd.changed, sd.waiting, sd.cut, sd.cold = sd.changed[:0], newWaiting(j, sd.side, sd.reach), math.MinInt64, Never
	sd.listed.reset()
	sd.waits.frozen = sd.waits.applied
	return nil
}

func (sd *joinedSide) memory() (held, pinned int64) {
	j := sd.joined
	lists := 4*int64(cap(sd.changed)) + sd.waiting.memory() + sd.listed.memory()
	if sd.side == Right { // the left side counts for both
		return lists, 0
	}
	return lists + j.keys.memory() + j.rows.memory(), j.dirty + j.flying
}

// cool notes that a key with its rows leaves the memory.
func (j *Joined) cool(k *joinedKey) {
	for side, ch := range k.rows {
		sd := &j.sides[side]
		if ch.tail != none {
			sd.cold = max(sd.cold, j.bucketOf(j.rows.row(ch.tail).timestamp))
		}
		for at := ch.head; at != none; {
			r := j.rows.row(at)
			if r.state == rowWaits {
				sd.listed.evicted(j.moment(r))
			}
			at = r.next
		}
	}
}

// evict drops keys, with all their rows, as KeyValue does.
func (sd *joinedSide) evict(target int64) {
	j := sd.joined
	if sd.side == Right {
		return
	}
	work := minSweep + sweepFactor*j.keys.inserted
	j.keys.inserted = 0
	for ; work > 0 && j.keys.n > 0; work-- {
		if held, _ := sd.memory(); held <= target {
			break
		}
		if j.sweep >= j.keys.n {
			j.sweep = 0
		}
		r := j.keys.row(j.sweep)
		switch {
		case !j.loose(j.sweep):
		case r.used:
			r.used = false
		default:
			j.cool(&r.Value)
			j.dropKey(j.sweep)
		}
		j.sweep++
	}
	j.keys.trim()
}
