package kafka

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Poller polls a consuming client and keeps it fetching. The client ends its fetches and begins them anew when its partitions or
// offsets change; two changes in a row can leave it with none: the second one takes the goroutine that the first one began, and
// that has not seen yet that it is not needed, for one that will fetch (kgo's source.loopFetch, which forgets at its end what it
// was asked meanwhile). Nothing but a further change would wake it. So it is asked again now and then, which costs nothing where
// it fetches.
type Poller struct {
	Client *kgo.Client
	asked  time.Time
}

// askInterval is how long a client stays without fetches at most.
const askInterval = 250 * time.Millisecond

// Poll is PollRecords of the client, but returns after askInterval, too: then, and when ctx is done, the error of the fetches is
// the context's.
func (p *Poller) Poll(ctx context.Context, records int) kgo.Fetches {
	if time.Since(p.asked) >= askInterval {
		p.asked = time.Now()
		p.Client.ResumeFetchPartitions(nil)
	}
	ctx, cancel := context.WithTimeout(ctx, askInterval)
	defer cancel()
	return p.Client.PollRecords(ctx, records)
}
