package kafka

import (
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Pool lets a client that consumes use the memory of its records again once Views has taken over what they hold.
func Pool() kgo.Opt { return kgo.WithPools(&recordPool{}) }

type recordPool struct{ slices sync.Pool }

// GetRecords implements kgo.PoolRecords.
func (p *recordPool) GetRecords(n int) []kgo.Record {
	if s, ok := p.slices.Get().(*[]kgo.Record); ok && cap(*s) >= n {
		return (*s)[:0]
	}
	return make([]kgo.Record, 0, n)
}

// PutRecords implements kgo.PoolRecords.
func (p *recordPool) PutRecords(s []kgo.Record) { p.slices.Put(&s) }
