package state

import (
	"math"
	"sync/atomic"
)

// Budget counts the memory that a process's tasks hold, against a limit: overlays, changed rows, arenas, fetch buffers.
//
// Each holder has an Account and reports to it between batches, so the sums are as old as a batch. When what is held
// exceeds the limit, every account gives back its share of what it can evict; when what cannot be evicted before a commit
// exceeds half of it, accounts are Full and their workers commit early.
type Budget struct {
	limit    int64
	held     atomic.Int64
	pinned   atomic.Int64
	accounts atomic.Int64
}

// NewBudget returns a budget of limit bytes.
func NewBudget(limit int64) *Budget { return &Budget{limit: limit} }

// Limit is the limit in bytes.
func (b *Budget) Limit() int64 { return b.limit }

// Used is what the accounts hold: in all, and of that what cannot be evicted before a commit.
func (b *Budget) Used() (held, pinned int64) { return b.held.Load(), b.pinned.Load() }

// Account is one holder's part of a budget. It has one owner goroutine. The account of a nil budget counts nothing.
type Account struct {
	budget       *Budget
	held, pinned int64
}

// Open begins an account.
func (b *Budget) Open() *Account {
	if b != nil {
		b.accounts.Add(1)
	}
	return &Account{budget: b}
}

// Set reports what the account holds, and how much of it cannot be evicted before a commit.
func (a *Account) Set(held, pinned int64) {
	if a.budget == nil {
		return
	}
	if d := held - a.held; d != 0 {
		a.budget.held.Add(d)
	}
	if d := pinned - a.pinned; d != 0 {
		a.budget.pinned.Add(d)
	}
	a.held, a.pinned = held, pinned
}

// Full reports whether a holder should commit before it takes more: what cannot be evicted exceeds half of the limit, and
// this account has at least an average part of it. So there is always one that commits, and a worker with little to commit
// is not driven by the others.
func (a *Account) Full() bool {
	b := a.budget
	if b == nil {
		return false
	}
	pinned := b.pinned.Load()
	return pinned > b.limit/2 && a.pinned*b.accounts.Load() >= pinned
}

// share is the account's part of the limit, if all have the same.
func (a *Account) share() int64 {
	if a.budget == nil {
		return math.MaxInt64
	}
	return a.budget.limit / max(a.budget.accounts.Load(), 1)
}

// Close gives everything back.
func (a *Account) Close() {
	if a.budget != nil {
		a.Set(0, 0)
		a.budget.accounts.Add(-1)
		a.budget = nil
	}
}

// excess is how many bytes the account should evict: its share, by what it can evict, of what the process holds above
// 15/16 of the limit, once it is above the limit.
func (a *Account) excess() int64 {
	b := a.budget
	if b == nil {
		return 0
	}
	held := b.held.Load()
	if held <= b.limit {
		return 0
	}
	loose := held - b.pinned.Load()
	if loose <= 0 {
		return 0
	}
	return int64(float64(held-b.limit+b.limit/16) * float64(a.held-a.pinned) / float64(loose))
}
