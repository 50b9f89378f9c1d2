package kafka

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// PastInvisible says how far a committed read gets from offset o.At on without meeting a record: past markers, aborted records
// and what compaction has emptied. It is o.At if a record is there, or nothing. A consumer gets past all of that, too, but says
// so only with its next record, which may never come.
//
// consumer is a client that reads the topic, and so knows its leader; client sends the request.
func PastInvisible(ctx context.Context, client, consumer *kgo.Client, o Offset) (int64, error) {
	leader, _, err := consumer.PartitionLeader(o.Topic, o.Partition)
	if err == nil && leader < 0 {
		err = kerr.LeaderNotAvailable
	}
	if err != nil {
		return 0, fmt.Errorf("leader of topic %s partition %d: %w", o.Topic, o.Partition, err)
	}
	req := kmsg.NewPtrFetchRequest()
	req.ReplicaID, req.MaxBytes, req.IsolationLevel, req.SessionEpoch = -1, fetchBytes, 1, -1
	t := kmsg.NewFetchRequestTopic()
	t.Topic, t.TopicID = o.Topic, o.TopicID
	p := kmsg.NewFetchRequestTopicPartition()
	p.Partition, p.FetchOffset, p.PartitionMaxBytes = o.Partition, o.At, fetchBytes
	t.Partitions = append(t.Partitions, p)
	req.Topics = append(req.Topics, t)
	answer, err := client.Broker(int(leader)).RetriableRequest(ctx, req)
	if err != nil {
		return 0, err
	}
	resp := answer.(*kmsg.FetchResponse)
	if err := kerr.ErrorForCode(resp.ErrorCode); err != nil {
		return 0, err
	}
	for i := range resp.Topics {
		for j := range resp.Topics[i].Partitions {
			found, next := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{
				Offset: o.At, IsolationLevel: kgo.ReadCommitted(), Topic: o.Topic, Partition: o.Partition,
			}, &resp.Topics[i].Partitions[j], kgo.DefaultDecompressor(), nil)
			if found.Err != nil {
				return 0, found.Err
			}
			if len(found.Records) == 0 {
				if p := &resp.Topics[i].Partitions[j]; len(p.RecordBatches) == 0 { // all was compacted away: else there would be a batch
					next = p.LastStableOffset
				}
				return max(o.At, next), nil
			}
		}
	}
	return o.At, nil
}

// fetchBytes is how much PastInvisible asks for at a time: more batches than that are passed by asking again.
const fetchBytes = 1 << 20
