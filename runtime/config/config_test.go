package config

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/streamgen/streamgen/runtime/topology"
)

var brokers = []string{"--brokers", "b:9092"}

// shop is a program with a variable with and one without a default; what is set lands in vars.
func shop(vars map[string]string) *topology.Topology {
	set := func(name string) func(string) error {
		return func(v string) error {
			if _, err := strconv.Atoi(v); err != nil {
				return fmt.Errorf("%q is not an int64", v)
			}
			vars[name] = v
			return nil
		}
	}
	return &topology.Topology{App: "shop", CommitInterval: 100 * time.Millisecond, Variables: []topology.Variable{
		{Name: "limit", Type: "int64", Default: "5", HasDefault: true, Set: set("limit")},
		{Name: "low-mark", Type: "int64", Default: "1", HasDefault: true, Set: set("low-mark")},
	}}
}

func load(t *testing.T, environ []string, args ...string) (*Config, map[string]string) {
	t.Helper()
	vars := map[string]string{}
	c, err := Load(shop(vars), append(args, brokers...), environ)
	if err != nil {
		t.Fatal(err)
	}
	return c, vars
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestDefaults(t *testing.T) {
	c, vars := load(t, nil)
	want := &Config{
		Brokers: []string{"b:9092"}, StateDir: "state", Memory: 512 << 20, HTTP: ":8080", DrainTimeout: 30 * time.Second,
		LogLevel: slog.LevelInfo, LogFormat: "text",
		Client: Client{ID: "shop", Linger: 5 * time.Millisecond, FetchMaxWait: 500 * time.Millisecond},
	}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got  %+v\nwant %+v", c, want)
	}
	if vars["limit"] != "5" || vars["low-mark"] != "1" {
		t.Errorf("variables %v do not have their defaults", vars)
	}
}

func TestFlagBeforeEnvironmentBeforeFile(t *testing.T) {
	file := write(t, "app.properties", "memory = 64MiB\nrack = file\nhttp = off\nset.linger.ms = 1\nvar.limit = 1\n")
	env := []string{"STREAMGEN_CONFIG=" + file, "STREAMGEN_RACK=env", "STREAMGEN_HTTP=:1", "STREAMGEN_SET_LINGER_MS=2", "STREAMGEN_VAR_LIMIT=2", "STREAMGEN_VAR_LOW_MARK=9", "STREAMGEN_MAX_TASK_IDLE=150ms"}
	c, vars := load(t, env, "--http=:2", "--set", "linger.ms=3ms", "--var", "limit=3")
	if c.Memory != 64<<20 || c.Client.Rack != "env" || c.HTTP != ":2" || c.Client.Linger != 3*time.Millisecond || c.MaxTaskIdle != 150*time.Millisecond {
		t.Errorf("got memory %d, rack %s, http %s, linger %s, max task idle %s", c.Memory, c.Client.Rack, c.HTTP, c.Client.Linger, c.MaxTaskIdle)
	}
	if vars["limit"] != "3" || vars["low-mark"] != "9" {
		t.Errorf("variables %v", vars)
	}
}

// S11: a file or an environment made from one on Windows must not leave \r in a value.
func TestS11WindowsLineEnds(t *testing.T) {
	file := write(t, "app.properties", "\ufeff# settings\r\nrack = a\r\n\r\nmemory=1GiB\r\n")
	c, vars := load(t, []string{"STREAMGEN_CONFIG=" + file, "STREAMGEN_CLIENT_ID=me\r", "STREAMGEN_VAR_LIMIT=1\r\n"})
	if c.Client.Rack != "a" || c.Memory != 1<<30 || c.Client.ID != "me" || vars["limit"] != "1" {
		t.Errorf("got rack %q, memory %d, client id %q, limit %q", c.Client.Rack, c.Memory, c.Client.ID, vars["limit"])
	}
}

func TestEmptyEnvironmentIsNotGiven(t *testing.T) {
	if c, _ := load(t, []string{"STREAMGEN_HTTP="}); c.HTTP != ":8080" {
		t.Errorf("http is %q", c.HTTP)
	}
}

// S03, at the start: a value of another type is named with where it came from.
func TestMistakes(t *testing.T) {
	file := write(t, "bad.properties", "broker = x\nmemory\nrack = a\nrack = b\n")
	for name, c := range map[string]struct {
		args, env []string
		want      []string
	}{
		"nothing":        {nil, nil, []string{"brokers are not set"}},
		"unknown flag":   {[]string{"--broker", "x:1"}, nil, []string{`--broker: there is no setting "broker" (did you mean "brokers"?)`}},
		"unknown option": {[]string{"--set", "linger=5"}, nil, []string{`--set linger: there is no client option "linger" (did you mean "linger.ms"?)`}},
		"unknown var":    {[]string{"--var", "limits=5"}, nil, []string{`there is no runtime variable "limits" (did you mean "limit"?)`}},
		"bad var":        {[]string{"--var", "limit=x"}, nil, []string{`--var limit: "x" is not an int64`}},
		"env var":        {nil, []string{"STREAMGEN_VAR_LIMITS=5"}, []string{"STREAMGEN_VAR_LIMITS: the program has no such variable"}},
		"argument":       {[]string{"run"}, nil, []string{`"run" is not a flag`}},
		"no value":       {[]string{"--rack"}, nil, []string{"--rack needs a value"}},
		"twice":          {[]string{"--rack", "a", "--rack", "b"}, nil, []string{"--rack is given twice"}},
		"password":       {[]string{"--sasl-password=x"}, nil, []string{"seen by everybody", "STREAMGEN_SASL_PASSWORD"}},
		"size":           {[]string{"--memory", "256MB"}, nil, []string{`--memory: "256MB" is not a size`, "MiB"}},
		"small":          {[]string{"--memory", "1MiB"}, nil, []string{"1MiB is not from 32MiB"}},
		"duration":       {nil, []string{"STREAMGEN_COMMIT_INTERVAL=100"}, []string{`STREAMGEN_COMMIT_INTERVAL: "100" is not a duration`}},
		"brokers":        {[]string{"--brokers", "a:1,b"}, nil, []string{`--brokers: "b" is not host:port`}},
		"several":        {[]string{"--workers", "-1", "--log-level", "loud", "--tls=perhaps"}, nil, []string{"--workers", "--log-level", "--tls"}},
		"file":           {[]string{"--config", file}, nil, []string{file + ":1: there is no setting", file + `:2: "memory" is not name = value`, file + ":4: rack is set before, at line 3"}},
		"no file":        {[]string{"--config", "/nowhere"}, nil, []string{"--config: open /nowhere"}},
		"half sasl":      {append(brokers, "--sasl-mechanism", "PLAIN"), nil, []string{"needs sasl-user"}},
		"user alone":     {append(brokers, "--sasl-user", "u"), nil, []string{"sasl-mechanism is not set"}},
		"half mtls":      {append(brokers, "--tls-cert", "x"), nil, []string{"tls-cert and tls-key belong together"}},
		"no ca":          {append(brokers, "--tls-ca", file), nil, []string{"holds no PEM certificate"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Load(shop(map[string]string{}), c.args, c.env)
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
		})
	}
}

func TestRequiredVariable(t *testing.T) {
	p := shop(map[string]string{})
	p.Variables[0].HasDefault = false
	if _, err := Load(p, brokers, nil); err == nil || !strings.Contains(err.Error(), `variable "limit" has no value: --var limit=…, or STREAMGEN_VAR_LIMIT`) {
		t.Errorf("got %v", err)
	}
}

func TestPasswordIsReadAndNotShown(t *testing.T) {
	file := write(t, "password", "s3cret\r\n")
	c, _ := load(t, nil, "--sasl-mechanism", "scram-sha-512", "--sasl-user", "u", "--sasl-password-file", file)
	if c.SASL.Password != "s3cret" || c.SASL.Mechanism != "SCRAM-SHA-512" {
		t.Errorf("got %q by %q", c.SASL.Password, c.SASL.Mechanism)
	}
	if s := fmt.Sprintf("%v %+v", c, *c); strings.Contains(s, "s3cret") {
		t.Errorf("the password is in %s", s)
	}
	c, _ = load(t, []string{"STREAMGEN_SASL_PASSWORD=x"}, "--sasl-mechanism", "PLAIN", "--sasl-user", "u")
	if len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "without tls") {
		t.Errorf("warnings %q", c.Warnings)
	}
}

func TestUnknownEnvironmentIsAWarning(t *testing.T) {
	c, _ := load(t, []string{"STREAMGEN_SERVICE_HOST=10.0.0.1", "OTHER=x"})
	if len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "STREAMGEN_SERVICE_HOST") {
		t.Errorf("warnings %q", c.Warnings)
	}
}

// TestHelp holds help to its promise: every setting, option and variable is in it.
func TestHelp(t *testing.T) {
	p := shop(map[string]string{})
	if _, err := Load(p, []string{"--http", "off", "--help"}, nil); !errors.Is(err, ErrHelp) {
		t.Fatalf("got %v", err)
	}
	var b strings.Builder
	Usage(&b, p)
	for _, s := range newLoader(p).known {
		name := strings.TrimPrefix(strings.TrimPrefix(s.name, "set."), "var.")
		if s.secret {
			name = s.env()
		}
		if !strings.Contains(b.String(), name) {
			t.Errorf("help does not list %s", s.name)
		}
		if s.doc == "" {
			t.Errorf("%s has no description", s.name)
		}
	}
	if strings.Contains(b.String(), "--sasl-password TEXT") {
		t.Error("help offers the password as a flag")
	}
}

// TestTLS connects both ways: a client certificate of the right authority is let in, a server of another one is refused.
func TestTLS(t *testing.T) {
	authority, key := certificate(t, nil, nil)
	serverCert, serverKey := certificate(t, authority, key)
	clientCert, clientKey := certificate(t, authority, key)
	pool := x509.NewCertPool()
	pool.AddCert(authority)
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{serverCert.Raw}, PrivateKey: serverKey}},
		ClientAuth:   tls.RequireAndVerifyClientCert, ClientCAs: pool,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				conn.Write([]byte("k")) // completes the handshake
			}()
		}
	}()
	ca := write(t, "ca.pem", encode("CERTIFICATE", authority.Raw))
	cert := write(t, "cert.pem", encode("CERTIFICATE", clientCert.Raw))
	der, err := x509.MarshalECPrivateKey(clientKey)
	if err != nil {
		t.Fatal(err)
	}
	keyFile := write(t, "key.pem", encode("EC PRIVATE KEY", der))
	dial := func(args ...string) error {
		c, _ := load(t, nil, args...)
		conn, err := tls.Dial("tcp", listener.Addr().String(), c.TLS)
		if err != nil {
			return err
		}
		defer conn.Close()
		_, err = conn.Read(make([]byte, 1))
		return err
	}
	if err := dial("--tls-ca", ca, "--tls-cert", cert, "--tls-key", keyFile); err != nil {
		t.Errorf("mTLS: %v", err)
	}
	if err := dial("--tls-ca", ca); err == nil {
		t.Error("let in without a certificate")
	}
	if err := dial("--tls"); err == nil {
		t.Error("accepted a server of an unknown authority")
	}
	if err := dial("--tls-ca", ca, "--tls-cert", cert, "--tls-key", keyFile, "--tls-server-name", "other"); err == nil {
		t.Error("accepted a server of another name")
	}
}

func encode(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// certificate makes one for 127.0.0.1, signed by parent, or an authority without one.
func certificate(t *testing.T, parent *x509.Certificate, parentKey *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"localhost"},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if parent == nil {
		template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
		parent, parentKey = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, parentKey)
	if err != nil {
		t.Fatal(err)
	}
	c, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return c, key
}
