// Package runtime is what a generated program links against and declares itself to.
//
// Its packages, from the bottom: record (what passes through a task), json and state (formats and stores), task (the
// sub-topologies of a worker and the epochs they fill), topology (the declaration of a program), kafka (the client), engine (a
// process: group, workers, commit, restore), testdriver (the same without a broker). Nothing here imports the compiler.
package runtime

import "github.com/streamgen/streamgen/runtime/topology"

// Generation is the contract between generated code and this package. Generated packages hold a constant expression that
// does not compile against another generation.
const Generation = 1

// The declaration of a program, as generated code names it.
type (
	Topology    = topology.Topology
	Guarantee   = topology.Guarantee
	ConfigEntry = topology.ConfigEntry
	TopicKind   = topology.TopicKind
	Topic       = topology.Topic
	SubTopology = topology.SubTopology
	GlobalTable = topology.GlobalTable
	Source      = topology.Source
	Start       = topology.Start
	Store       = topology.Store
	StoreKind   = topology.StoreKind
	Variable    = topology.Variable
)

// The guarantees.
const (
	AtLeastOnce = topology.AtLeastOnce
	ExactlyOnce = topology.ExactlyOnce
)

// The kinds of topic.
const (
	Input       = topology.Input
	Output      = topology.Output
	Repartition = topology.Repartition
)

// The kinds of store.
const (
	PlainStore  = topology.PlainStore
	WindowStore = topology.WindowStore

	SessionStore  = topology.SessionStore
	SlidingStore  = topology.SlidingStore
	SuppressStore = topology.SuppressStore

	JoinStore      = topology.JoinStore
	VersionedStore = topology.VersionedStore

	SubscriptionStore = topology.SubscriptionStore
)

// The starts that are no durations.
const (
	Earliest = topology.Earliest
	Latest   = topology.Latest
)
