package engine

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// wrongCounts is what a test says that compares what came with a recount: a count is not the next one, is wrong in the end ("counted 3 of
// 2 orders"), or does not come.
const wrongCounts = ": count| records came"

// planted are faults of the kind that the protocol was made against, each with the test that finds it, and what that says.
var planted = []struct{ name, file, old, new, test, says string }{
	{
		"restore to an offset that was asked for", "marker.go",
		"			answers[i] = append(answers[i], r.Offset)\n",
		"			end, err := kafka.ListOffsets(ctx, m.producer.Client(), []kafka.Offset{{Topic: r.Topic, Partition: r.Partition, At: kafka.End}})\n" +
			"			if err != nil {\n				return nil, err\n			}\n" +
			"			answers[i] = append(answers[i], end[0].At-1)\n",
		"TestRestoreWaitsForMarkers/tail_hidden", "the task is running before its changelogs are complete|" + wrongCounts,
	},
	{
		"rows kept at an abort", "../state/keyvalue.go",
		"		if t.row(i).mark > s.stores.applied {\n", "		if t.row(i).mark > s.stores.applied && i == t.n {\n",
		"TestAbortsAreInvisible/offsets_refused", wrongCounts,
	},
	{
		"a failed apply treated as an abort", "../task/worker.go",
		"			r.lost = w.apply(e)\n",
		"			if lost := w.apply(e); len(lost) > 0 {\n				r.err = lost[0]\n			}\n",
		"TestCommittedNotApplied", "orders",
	},
	{
		"a stale disk trusted", "restore.go",
		"c.Wall > 0 && age > e.config.DeleteRetention", "c.Wall > 0 && age < 0",
		"TestStaleDisk", "ghost",
	},
	{
		"promises not looked at", "../kafka/producer.go",
		"	if p.failed != nil {\n		return p.failed\n	}\n	return err\n", "	return err\n",
		"TestAbortsAreInvisible/record_refused", wrongCounts,
	},
	{
		"an unknown outcome taken for an abort", "commit.go",
		"			return c.decide(offsets, cause)\n", "			return errors.Join(cause, c.decide(offsets, cause))\n",
		"TestUnknownOutcome/committed", wrongCounts,
	},
	{
		"an unknown outcome taken for a commit", "commit.go",
		"			return c.decide(offsets, cause)\n", "			_ = c.decide(offsets, cause)\n			return nil\n",
		"TestUnknownOutcome/not_committed", wrongCounts,
	},
	{
		"offsets committed before the transaction", "commit.go",
		"	return c.fenced(e, func(m kafka.Member) error { return c.producer.AddOffsets(ctx, m, c.offsets) })",
		"	return c.fenced(e, func(m kafka.Member) error { return kafka.CommitOffsets(ctx, c.client, m, c.offsets) })",
		"TestKilledAnywhere/commit.offsets", wrongCounts,
	},
	{
		"rows applied before the commit", "../task/worker.go",
		"		r := result{epoch: e, err: c.Commit(e)}\n		if r.err == nil {\n			r.lost = w.apply(e)\n",
		"		r := result{epoch: e, lost: w.apply(e)}\n		if r.err = c.Commit(e); r.err == nil {\n",
		"TestAbortsAreInvisible/offsets_refused", wrongCounts,
	},
	{
		"no fencing by the generation", "../kafka/offsets.go",
		"	req.MemberID, req.Generation, req.InstanceID = m.ID, m.Generation, m.instance()\n	for i := range offsets {\n		o := &offsets[i]\n		if i == 0 || o.Topic != offsets[i-1].Topic {\n			t := kmsg.NewTxnOffsetCommitRequestTopic()",
		"	req.MemberID, req.Generation = \"\", -1\n	for i := range offsets {\n		o := &offsets[i]\n		if i == 0 || o.Topic != offsets[i-1].Topic {\n			t := kmsg.NewTxnOffsetCommitRequestTopic()",
		"TestZombieOfTheGroup", "the heir|" + wrongCounts,
	},
	{
		"a group that was reset taken for a new one", "restore.go",
		"	if epoch > o.epoch+e.unapplied() {", "	if epoch > o.epoch+1<<40 {",
		"TestGroupReset/with_the_changelogs_only", "did not end",
	},
	{
		"tables not read first", "group.go",
		"	if first {", "	if first && ctx == nil {",
		"TestBootstrap", wrongCounts,
	},
	{
		"a table restored beyond the committed offset", "restore_source.go",
		"		return o.begin[i].Next\n", "		return o.begin[i].Next + 5\n",
		"TestReuseSource/exactly_once", "b>b, want a>b",
	},
	{
		"a global table not complete before anything is processed", "globals.go",
		"	for !g.complete() {\n", "	for !g.complete() && ctx == nil {\n",
		"TestGlobalTableIsCompleteFirst", "tasks are there before the table is complete",
	},
}

// TestPlantedFaults builds the tests with each fault in turn and expects the test that was made for it to fail, with what it was
// made to say. Without a fault all of them must pass, with the same patience.
func TestPlantedFaults(t *testing.T) {
	if os.Getenv("STREAMGEN_PLANTED_FAULTS") == "" {
		t.Skip("set STREAMGEN_PLANTED_FAULTS=1: each fault is a build of its own")
	}
	var builds []chan error // one is built while the one before runs
	dir := t.TempDir()
	binary := func(i int) string { return filepath.Join(dir, strconv.Itoa(i)+".test") }
	for range planted {
		builds = append(builds, make(chan error, 1))
	}
	go func() {
		for i, p := range planted {
			builds[i] <- plant(dir, binary(i), p.file, p.old, p.new)
		}
	}()
	for i, p := range planted {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			if out, err := runPlanted(os.Args[0], p.test); err != nil {
				t.Fatalf("without the fault: %v\n%s", err, out)
			}
			if err := <-builds[i]; err != nil {
				t.Fatal(err)
			}
			out, err := runPlanted(binary(i), p.test)
			if err == nil {
				t.Fatalf("%s does not find it", p.test)
			}
			if !regexp.MustCompile(p.says).MatchString(out) {
				t.Fatalf("%s does not say %q:\n%s", p.test, p.says, out)
			}
		})
	}
}

// plant builds the tests of this package with a text of a file replaced.
func plant(dir, binary, file, old, new string) error {
	file, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	source, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if n := strings.Count(string(source), old); n != 1 {
		return fmt.Errorf("%s has %d places to plant the fault in, want one", file, n)
	}
	faulty, overlay := binary+".go", binary+".json"
	if err := os.WriteFile(faulty, []byte(strings.Replace(string(source), old, new, 1)), 0o644); err != nil {
		return err
	}
	b, err := json.Marshal(map[string]map[string]string{"Replace": {file: faulty}})
	if err != nil {
		return err
	}
	if err := os.WriteFile(overlay, b, 0o644); err != nil {
		return err
	}
	build := exec.Command("go", "test", "-c", "-vet=off", "-ldflags=-w", "-overlay", overlay, "-o", binary, ".")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("the fault does not compile: %w\n%s", err, out)
	}
	return nil
}

func runPlanted(binary, test string) (string, error) {
	cmd := exec.Command(binary, "-test.run", "^"+strings.ReplaceAll(test, "/", "$/^")+"$", "-test.timeout", "60s")
	cmd.Env = append(os.Environ(), "ENGINE_TEST_PATIENCE=6s")
	out, err := cmd.CombinedOutput()
	return string(out), err
}
