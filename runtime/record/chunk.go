package record

import "sync"

// chunks are the slices that fetched records wait in: a fetch brings some of about the same size again and again. A pool takes
// pointers; those that hold no slice at the moment wait in holders.
var chunks, holders sync.Pool

// Chunk is an empty slice with room for n records, for what one fetch brought of a partition.
func Chunk(n int) []Record {
	p, ok := chunks.Get().(*[]Record)
	if !ok {
		return make([]Record, 0, n)
	}
	c := *p
	*p = nil
	holders.Put(p)
	if cap(c) < n {
		return make([]Record, 0, n)
	}
	return c
}

// Free gives back a slice that Chunk made. Nobody may use it any more; what the records in it point at is left alone.
func Free(c []Record) {
	clear(c)
	p, ok := holders.Get().(*[]Record)
	if !ok {
		p = new([]Record)
	}
	*p = c[:0]
	chunks.Put(p)
}
