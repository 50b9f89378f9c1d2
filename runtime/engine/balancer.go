package engine

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// balancer assigns tasks, not partitions: the partitions that a task reads stay together. It is cooperative (a task moves only
// after its owner has given it back) and sticky: a task stays where it is, else goes where its database is, as far as an even
// distribution allows.
type balancer struct {
	catalog *catalog
	disk    []string // names of the tasks whose databases this process has, when it started: the same at each rejoin
	log     *slog.Logger
}

// ProtocolName implements kgo.GroupBalancer.
func (b *balancer) ProtocolName() string { return "streamgen" }

// IsCooperative implements kgo.GroupBalancer.
func (b *balancer) IsCooperative() bool { return true }

// JoinGroupMetadata implements kgo.GroupBalancer.
func (b *balancer) JoinGroupMetadata(topics []string, current map[string][]int32, generation int32) []byte {
	m := kmsg.NewConsumerMemberMetadata()
	m.Version = 1
	m.Topics = topics
	m.UserData = []byte(strings.Join(b.disk, ","))
	for topic, partitions := range current {
		o := kmsg.NewConsumerMemberMetadataOwnedPartition()
		o.Topic, o.Partitions = topic, slices.Sorted(slices.Values(partitions))
		m.OwnedPartitions = append(m.OwnedPartitions, o)
	}
	slices.SortFunc(m.OwnedPartitions, func(a, b kmsg.ConsumerMemberMetadataOwnedPartition) int { return cmp.Compare(a.Topic, b.Topic) })
	return m.AppendTo(nil)
}

// ParseSyncAssignment implements kgo.GroupBalancer.
func (b *balancer) ParseSyncAssignment(assignment []byte) (map[string][]int32, error) {
	var a kmsg.ConsumerMemberAssignment
	if err := a.ReadFrom(assignment); err != nil {
		return nil, fmt.Errorf("assignment: %w", err)
	}
	m := map[string][]int32{}
	for _, t := range a.Topics {
		m[t.Topic] = t.Partitions
	}
	return m, nil
}

// MemberBalancer implements kgo.GroupBalancer.
func (b *balancer) MemberBalancer(members []kmsg.JoinGroupResponseMember) (kgo.GroupMemberBalancer, map[string]struct{}, error) {
	r := &round{balancer: b}
	topics := map[string]struct{}{}
	for _, m := range members {
		var meta kmsg.ConsumerMemberMetadata
		if err := meta.ReadFrom(m.ProtocolMetadata); err != nil {
			return nil, nil, fmt.Errorf("metadata of member %s: %w", m.MemberID, err)
		}
		member := memberOf{id: m.MemberID}
		for _, t := range meta.Topics {
			topics[t] = struct{}{}
		}
		for _, o := range meta.OwnedPartitions {
			if in, ok := b.catalog.reader(o.Topic); ok {
				for _, p := range o.Partitions {
					member.owned = append(member.owned, taskID{in.sub, p})
				}
			}
		}
		slices.SortFunc(member.owned, taskID.compare)
		member.owned = slices.Compact(member.owned)
		if len(meta.UserData) > 0 {
			member.disk = strings.Split(string(meta.UserData), ",")
		}
		r.members = append(r.members, member)
	}
	return r, topics, nil
}

// memberOf is a process as it told of itself when it joined.
type memberOf struct {
	id    string
	owned []taskID
	disk  []string
}

// round is one distribution of the tasks.
type round struct {
	*balancer
	members []memberOf // sorted, by the client
}

// Balance implements kgo.GroupMemberBalancer.
func (r *round) Balance(topics map[string]int32) kgo.IntoSyncAssignment {
	var tasks []taskID
	for i := range r.catalog.topology.SubTopologies {
		n := int32(0)
		for _, in := range r.catalog.inputs {
			if in.sub == i {
				n = max(n, min(in.count, topics[in.name]))
			}
		}
		for p := range n {
			tasks = append(tasks, taskID{i, p})
		}
	}
	owner := r.owners()
	target := r.distribute(tasks, owner)

	var out assignments
	for i, m := range r.members {
		byTopic := map[string][]int32{}
		for n, id := range tasks {
			if target[n] != i {
				continue
			}
			if o, ok := owner[id]; ok && o != i {
				continue // its owner has to give it back first; this member gets it in the next round
			}
			for _, in := range r.catalog.inputsOf(id) {
				byTopic[in.name] = append(byTopic[in.name], id.partition)
			}
		}
		var a kmsg.ConsumerMemberAssignment
		for _, in := range r.catalog.inputs { // by name
			if ps := byTopic[in.name]; len(ps) > 0 {
				t := kmsg.NewConsumerMemberAssignmentTopic()
				t.Topic, t.Partitions = in.name, ps
				a.Topics = append(a.Topics, t)
			}
		}
		s := kmsg.NewSyncGroupRequestGroupAssignment()
		s.MemberID, s.MemberAssignment = m.id, a.AppendTo(nil)
		out = append(out, s)
	}
	return out
}

type assignments []kmsg.SyncGroupRequestGroupAssignment

// IntoSyncAssignment implements kgo.IntoSyncAssignment.
func (a assignments) IntoSyncAssignment() []kmsg.SyncGroupRequestGroupAssignment { return a }

// owners is who has each task now.
func (r *round) owners() map[taskID]int {
	owner := map[taskID]int{}
	for i, m := range r.members {
		for _, id := range m.owned {
			if _, taken := owner[id]; !taken {
				owner[id] = i
			}
		}
	}
	return owner
}

// distribute gives each task a member. The numbers of two members differ by one at most.
func (r *round) distribute(tasks []taskID, owner map[taskID]int) []int {
	n := len(r.members)
	target := make([]int, len(tasks))
	load := make([]int, n)
	least, more := len(tasks)/n, len(tasks)%n // that many members have one more than least
	room := func(i int) bool { return load[i] < least || load[i] == least && more > 0 }
	take := func(t, i int) {
		target[t] = i
		if load[i]++; load[i] > least {
			more--
		}
	}
	for t := range target {
		target[t] = -1
	}
	for t, id := range tasks { // where it is
		if i, ok := owner[id]; ok && room(i) {
			take(t, i)
		}
	}
	for t, id := range tasks { // where its database is
		for i := 0; i < n && target[t] < 0; i++ {
			if room(i) && slices.Contains(r.members[i].disk, r.catalog.name(id)) {
				take(t, i)
			}
		}
	}
	for t := range tasks { // where there is room
		if target[t] < 0 {
			best := slices.Index(load, slices.Min(load))
			take(t, best)
		}
	}
	return target
}
