package engine

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// planted are faults of the kind that the protocol was made against, each with the test that finds it.
var planted = []struct{ name, file, old, new, test string }{
	{
		"restore to an offset that was asked for", "marker.go",
		"			answers[i] = append(answers[i], r.Offset)\n",
		"			end, err := kafka.ListOffsets(ctx, m.producer.Client(), []kafka.Offset{{Topic: r.Topic, Partition: r.Partition, At: kafka.End}})\n" +
			"			if err != nil {\n				return nil, err\n			}\n" +
			"			answers[i] = append(answers[i], end[0].At-1)\n",
		"TestRestoreWaitsForMarkers",
	},
	{
		"rows kept at an abort", "../task/task.go",
		"	return t.Stores.Discard()\n", "	return nil\n",
		"TestAbortsAreInvisible",
	},
	{
		"a failed apply treated as an abort", "../task/worker.go",
		"			r.lost = w.apply(e)\n",
		"			if lost := w.apply(e); len(lost) > 0 {\n				r.err = lost[0]\n			}\n",
		"TestCommittedNotApplied",
	},
	{
		"a stale disk trusted", "restore.go",
		"c.Wall > 0 && age > e.config.DeleteRetention", "c.Wall > 0 && age < 0",
		"TestStaleDisk",
	},
	{
		"promises not looked at", "../kafka/producer.go",
		"	if p.failed != nil {\n		return p.failed\n	}\n	return err\n", "	return err\n",
		"TestAbortsAreInvisible",
	},
	{
		"an unknown outcome taken for an abort", "commit.go",
		"		err = c.outcome(e, err)\n	}\n	if err == nil {\n		failpoint.Hit(\"commit.ended\")",
		"		err = errors.Join(err, c.producer.Replace(c.ctx))\n	}\n	if err == nil {\n		failpoint.Hit(\"commit.ended\")",
		"TestUnknownOutcome/committed",
	},
	{
		"an unknown outcome taken for a commit", "commit.go",
		"		err = c.outcome(e, err)\n	}\n	if err == nil {\n		failpoint.Hit(\"commit.ended\")",
		"		err = c.producer.Replace(c.ctx)\n	}\n	if err == nil {\n		failpoint.Hit(\"commit.ended\")",
		"TestUnknownOutcome/not_committed",
	},
	{
		"offsets committed before the transaction", "commit.go",
		"	return c.fenced(e, func(m kafka.Member) error { return c.producer.AddOffsets(ctx, m, c.offsets) })",
		"	return c.fenced(e, func(m kafka.Member) error { return kafka.CommitOffsets(ctx, c.client, m, c.offsets) })",
		"TestKilledAnywhere/commit.offsets",
	},
	{
		"rows applied before the commit", "../task/worker.go",
		"		r := result{epoch: e, err: c.Commit(e)}\n		if r.err == nil {\n			r.lost = w.apply(e)\n",
		"		r := result{epoch: e, lost: w.apply(e)}\n		if r.err = c.Commit(e); r.err == nil {\n",
		"TestAbortsAreInvisible",
	},
	{
		"no fencing by the generation", "../kafka/offsets.go",
		"	req.MemberID, req.Generation, req.InstanceID = m.ID, m.Generation, m.instance()\n	for i := range offsets {\n		o := &offsets[i]\n		if i == 0 || o.Topic != offsets[i-1].Topic {\n			t := kmsg.NewTxnOffsetCommitRequestTopic()",
		"	req.MemberID, req.Generation = \"\", -1\n	for i := range offsets {\n		o := &offsets[i]\n		if i == 0 || o.Topic != offsets[i-1].Topic {\n			t := kmsg.NewTxnOffsetCommitRequestTopic()",
		"TestZombieOfTheGroup",
	},
	{
		"a group that was reset taken for a new one", "restore.go",
		"	if epoch > o.epoch+e.unapplied() {", "	if epoch > o.epoch+1<<40 {",
		"TestGroupReset/with_the_changelogs_only",
	},
	{
		"tables not read first", "group.go",
		"	if first {", "	if first && ctx == nil {",
		"TestBootstrap",
	},
}

// TestPlantedFaults builds the tests with each fault in turn and expects the test that was made for it to fail.
func TestPlantedFaults(t *testing.T) {
	if os.Getenv("STREAMGEN_PLANTED_FAULTS") == "" {
		t.Skip("set STREAMGEN_PLANTED_FAULTS=1: each fault is a build of its own")
	}
	for _, p := range planted {
		t.Run(p.name, func(t *testing.T) {
			file, err := filepath.Abs(p.file)
			if err != nil {
				t.Fatal(err)
			}
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(source), p.old); n != 1 {
				t.Fatalf("%s has %d places to plant the fault in, want one", p.file, n)
			}
			dir := t.TempDir()
			faulty, overlay := filepath.Join(dir, "faulty.go"), filepath.Join(dir, "overlay.json")
			if err := os.WriteFile(faulty, []byte(strings.Replace(string(source), p.old, p.new, 1)), 0o644); err != nil {
				t.Fatal(err)
			}
			b, err := json.Marshal(map[string]map[string]string{"Replace": {file: faulty}})
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(overlay, b, 0o644); err != nil {
				t.Fatal(err)
			}
			build := exec.Command("go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", filepath.Join(dir, "faulty.test"), ".")
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("the fault does not compile: %v\n%s", err, out)
			}
			out, err := exec.Command(filepath.Join(dir, "faulty.test"), "-test.run", "^"+strings.ReplaceAll(p.test, "/", "$/^")+"$", "-test.timeout", "100s").CombinedOutput()
			if err == nil {
				t.Fatalf("%s does not find it", p.test)
			}
			if !strings.Contains(string(out), "--- FAIL: "+strings.Split(p.test, "/")[0]) && !strings.Contains(string(out), "panic: ") {
				t.Fatalf("it is found in another way than by a failure of %s:\n%s", p.test, out)
			}
		})
	}
}
