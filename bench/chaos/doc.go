// Package chaos kills a generated program at random and recounts.
//
// Its tests run examples/order-enrichment, the committed binary, as two processes that share its partitions, while input
// keeps coming. They kill the processes with SIGKILL at random moments, or stop them until the group has given them up and
// let them go on, and start what was killed again at once over the state it left. At the end the outputs, read committed,
// the changelogs and the databases of both processes must be what a recount of the input gives: with exactly_once_v2 nothing
// is lost and nothing doubled, with at_least_once nothing is lost.
//
//	STREAMGEN_CHAOS=1           the long form: 200 kills over kfake, 20 over a real broker (make chaos)
//	STREAMGEN_CHAOS_KILLS=40    that many kills instead, in each test that is run
//	STREAMGEN_CHAOS_SEED=17     the moments of a run that is to be repeated; each run prints its own
package chaos
