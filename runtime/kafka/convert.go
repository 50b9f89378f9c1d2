package kafka

import (
	"time"
	"unsafe"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamgen/streamgen/runtime/record"
)

// The header types have one underlying type, which makes a header list of one a list of the other.
var _ = record.Header(kgo.RecordHeader{})

// Views are views of the records of one partition, to be fed to input i of a task, and their size in bytes. Control records
// are left out. The views share the memory of the fetch, which the client never writes again; the records themselves go back
// to the client and must not be used any more.
func Views(records []*kgo.Record, i uint16, source uint8) (views []record.Record, size int) {
	views = record.Chunk(len(records))
	for _, r := range records {
		if r.Attrs.IsControl() {
			r.Recycle()
			continue
		}
		views = views[:len(views)+1]
		v := &views[len(views)-1] // a literal would be made elsewhere and copied
		v.Key, v.Value, v.Headers = r.Key, r.Value, headers(r.Headers)
		v.Timestamp, v.Offset, v.Input, v.Source = r.Timestamp.UnixMilli(), r.Offset, i, source
		size += len(r.Key) + len(r.Value) + recordSize
		for _, h := range r.Headers {
			size += len(h.Key) + len(h.Value)
		}
		r.Recycle()
	}
	return views, size
}

// recordSize is what a fetched record takes beside its bytes: the client's and ours.
const recordSize = int(unsafe.Sizeof(kgo.Record{}) + unsafe.Sizeof(record.Record{}))

func headers(h []kgo.RecordHeader) []record.Header {
	return unsafe.Slice((*record.Header)(unsafe.Pointer(unsafe.SliceData(h))), len(h))
}

func clientHeaders(h []record.Header) []kgo.RecordHeader {
	return unsafe.Slice((*kgo.RecordHeader)(unsafe.Pointer(unsafe.SliceData(h))), len(h))
}

// timestamp is a record's timestamp for the client.
func timestamp(ms int64) time.Time { return time.UnixMilli(ms) }
