package engine

// # The protocol
//
// Kafka is the truth: the committed offsets of the group say where a task is, the changelogs say what its rows are. A task's
// database is a copy that may be behind, never ahead. Each step below has a failpoint of the same name; dying at any of them
// loses nothing and, with exactly_once_v2, doubles nothing.
//
// # Commit of epoch N
//
// Worker goroutine, between two batches (task.Worker.Commit):
//
//	1.  flush       coalesced updates become outputs of N                                  commit.flushed
//	2.  wait        until N-1 is applied; an abort of it aborts N
//	3.  freeze      rows are encoded, outputs and positions taken                          commit.frozen
//	4.  hand over   N+1 is processed from here on; nothing to commit: N is given back
//
// Committer goroutine (committer.Commit), with exactly_once_v2:
//
//	5.  begin       a transaction of the worker's transactional id                         commit.begun
//	6.  produce     outputs and changelog records; every promise is looked at, because the
//	                broker would commit the rest without a refused record                  commit.produced
//	7.  offsets     of all inputs of all tasks, moved or not, fenced by member and
//	                generation, each with its task's epoch number as metadata              commit.offsets
//	8.  end         the transaction. An error says nothing: a new client's InitProducerID
//	                ends whatever was open, then the epoch number in the committed
//	                offsets tells (commit.unknown)                                         commit.ended
//	9.  offsets without records: 5 to 8 are a plain commit of offsets, fenced likewise,
//	                because a transaction without records would leave them pending         commit.plain
//	10. apply       one batch a task: rows, clocks, epoch, changelog positions. From 8 on
//	                N is committed: an error is retried, then the task is closed and its
//	                rows are read from the changelog                         apply.task, apply.write, apply.done
//
// With at_least_once 5, 7 and 8 are: produce, wait for all acknowledgements, commit the offsets, apply.
//
// Worker goroutine, at its next batch:
//
//	11. applied     rows of N may be evicted, counters are published
//
// An error of 5, 6 or 7 is an abort (commit.aborted): the transaction is aborted, by a new client where the old one is fenced or
// does not answer; rows newer than the last applied epoch are dropped, clocks read again, inputs rewound to its positions.
//
// # Restore of a task
//
//	1.  offsets     the group's committed offsets are read, pending ones waited for: from
//	                here on no transaction of an earlier owner can commit
//	2.  open        the database; it is wiped if it is not of this task's changelogs or was
//	                last written longer ago than deletes are kept                          restore.opened
//	3.  mark        a marker record to each changelog, in a transaction of its own: what
//	                lies before it and is visible is all there is                          restore.marked
//	4.  read        each changelog from the database's position until the marker is read
//	                back, rows and position in one batch; the topic of a table that is
//	                its changelog, too, until the group's committed offset                 restore.batch
//	5.  check       the epoch of the rows is not ahead of the committed one (with
//	                at_least_once: not by more than the one that a crash may leave): else
//	                somebody has reset the group, and the process stops                    restore.done
//	6.  run         the code is made, its clocks are read, its inputs are fetched
//
// A position below the start of a changelog wipes the database and begins at the start.
//
// # Revocation
//
//	1.  commit      1 to 11 for the worker of each revoked task, within the callback       revoke.committed
//	2.  close       the tasks; their databases are flushed and stay on disk                revoke.closed
//
// What takes longer than half of the rebalance timeout, because a step or the broker is slow, is not waited for: the tasks count as
// lost from then on. A transaction that has its offsets already may still end: the next owner waits for that.
//
// Lost partitions are somebody else's already: the running epoch is dropped, the one in flight not committed, the tasks closed.
//
// # Drain
//
//	1.  stop        fetching
//	2.  revoke      all tasks from oneself, as above                                       drain.committed
//	3.  end         the workers                                                            drain.closed
//	4.  leave       the group, unless membership is static
