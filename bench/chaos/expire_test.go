package chaos

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/streamgen/streamgen/internal/kafkatest"
)

// sessionTimeout is how long the group waits for a process that does not answer.
const sessionTimeout = time.Second

// expiry does for kfake what a broker does: it ends the session of every member that is gone. kfake starts the clock of a new
// member's session when it has answered its first JoinGroup; of one that was killed before that it waits for ever, and its
// partitions belong to nobody.
type expiry struct {
	mu   sync.Mutex
	dead map[string]time.Time // when the process of a client id was killed
}

// startExpiry begins, until the test ends.
func startExpiry(t *testing.T, c *kafkatest.Cluster) *expiry {
	e := &expiry{dead: map[string]time.Time{}}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	t.Cleanup(func() { cancel(); <-done })
	go func() {
		defer close(done)
		tick := time.NewTicker(sessionTimeout / 5)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				e.expel(ctx, c)
			}
		}
	}()
	return e
}

// killed says that the process of a client id is dead.
func (e *expiry) killed(client string) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.dead[client] = time.Now()
}

// overdue says whether the session of a client id must have ended.
func (e *expiry) overdue(client string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	at, dead := e.dead[client]
	return dead && time.Since(at) > sessionTimeout*3/2
}

// expel makes overdue members leave. What fails is tried again at the next tick.
func (e *expiry) expel(ctx context.Context, c *kafkatest.Cluster) {
	describe := kmsg.NewPtrDescribeGroupsRequest()
	describe.Groups = []string{"order-enrichment"}
	groups, err := describe.RequestWith(ctx, c.Client)
	if err != nil || len(groups.Groups) == 0 {
		return
	}
	for _, m := range groups.Groups[0].Members {
		if !e.overdue(m.ClientID) {
			continue
		}
		leave := kmsg.NewPtrLeaveGroupRequest()
		leave.Group = "order-enrichment"
		member := kmsg.NewLeaveGroupRequestMember()
		member.MemberID = m.MemberID
		leave.Members = append(leave.Members, member)
		_, _ = leave.RequestWith(ctx, c.Client)
	}
}
