package kafka

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/streamgen/streamgen/internal/kafkatest"
	"github.com/streamgen/streamgen/runtime/config"
	"github.com/streamgen/streamgen/runtime/topology"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

func TestSASL(t *testing.T) {
	const user, password = "streams", "s3cret"
	for _, mechanism := range []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"} {
		t.Run(mechanism, func(t *testing.T) {
			c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.EnableSASL(), kfake.Superuser(mechanism, user, password))
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			ping := func(password string) error {
				file := filepath.Join(t.TempDir(), "password")
				if err := os.WriteFile(file, []byte(password+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				conf, err := config.Load(&topology.Topology{App: "app"}, []string{"--brokers", strings.Join(c.ListenAddrs(), ","),
					"--sasl-mechanism", mechanism, "--sasl-user", user, "--sasl-password-file", file}, nil)
				if err != nil {
					t.Fatal(err)
				}
				client, err := kgo.NewClient(append(Options(conf, quiet), kgo.RequestRetries(0))...)
				if err != nil {
					t.Fatal(err)
				}
				defer client.Close()
				return client.Ping(context.Background())
			}
			if err := ping(password); err != nil {
				t.Errorf("the right password: %v", err)
			}
			if err := ping("wrong"); err == nil {
				t.Error("the wrong password was taken")
			}
		})
	}
}

// TestOptions: every client option reaches the client.
func TestOptions(t *testing.T) {
	args := []string{"--brokers", "127.0.0.1:1", "--rack", "r1", "--client-id", "me"}
	for name, value := range map[string]string{"fetch.min.bytes": "2", "fetch.max.bytes": "200MiB", "max.partition.fetch.bytes": "3MiB",
		"fetch.max.wait.ms": "40", "linger.ms": "0", "compression.type": "zstd", "request.timeout.ms": "7s",
		"socket.connection.setup.timeout.ms": "8s", "connections.max.idle.ms": "9s", "metadata.max.age.ms": "10s"} {
		args = append(args, "--set", name+"="+value)
	}
	conf, err := config.Load(&topology.Topology{App: "app"}, args, nil)
	if err != nil {
		t.Fatal(err)
	}
	client, err := kgo.NewClient(Options(conf, quiet)...)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for _, c := range []struct {
		option any
		want   any
	}{
		{kgo.ClientID, "me"}, {kgo.Rack, "r1"}, {kgo.FetchMinBytes, int32(2)}, {kgo.FetchMaxBytes, int32(200 << 20)},
		{kgo.FetchMaxPartitionBytes, int32(3 << 20)},
	} {
		got := client.OptValue(c.option)
		if p, ok := got.(*string); ok {
			got = *p
		}
		if got != c.want {
			t.Errorf("got %v, want %v", got, c.want)
		}
	}
}

func TestLogger(t *testing.T) {
	var out bytes.Buffer
	l := logger{slog.New(slog.NewTextHandler(&out, nil))}
	if l.Level() != kgo.LogLevelWarn {
		t.Errorf("level %v at info", l.Level())
	}
	l.Log(kgo.LogLevelWarn, "lost connection", "broker", 1)
	if s := out.String(); !strings.Contains(s, `level=WARN msg="kafka client: lost connection" broker=1`) {
		t.Errorf("got %s", s)
	}
}

// TestFake holds the helper to what these tests assume of it.
func TestFake(t *testing.T) {
	c := kafkatest.StartFake(t)
	c.CreateTopic("t", 3)
	c.Produce(&kgo.Record{Topic: "t", Partition: 2, Value: []byte("v")})
	if got := c.Read("t"); len(got) != 1 || got[0].Partition != 2 {
		t.Errorf("got %v", got)
	}
}
