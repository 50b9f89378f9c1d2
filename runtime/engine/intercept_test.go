package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// intercept sits between a client and the broker: it sees each request before it is sent and each response before the client
// does, may change a response, and may cut the connection instead.
type intercept struct {
	mu       sync.Mutex
	request  func(key int16) error                  // an error: the request is not sent, the connection is cut
	response func(key int16, r kmsg.Response) error // may change r; an error: r is lost, the connection is cut
}

// errSwallow says that a request is lost on its way, and nobody knows.
var errSwallow = errors.New("swallow")

// set replaces what is done with requests and responses; nil: nothing.
func (x *intercept) set(request func(int16) error, response func(int16, kmsg.Response) error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.request, x.response = request, response
}

// option makes a client go through x.
func (x *intercept) option() kgo.Opt {
	return kgo.Dialer(func(ctx context.Context, network, address string) (net.Conn, error) {
		var d net.Dialer
		c, err := d.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &interceptedConn{Conn: c, intercept: x, sent: map[int32]requestOf{}}, nil
	})
}

type requestOf struct{ key, version int16 }

type interceptedConn struct {
	net.Conn
	intercept *intercept

	mu   sync.Mutex
	sent map[int32]requestOf // by correlation id
	rest []byte              // of a response, to be read
}

// Write gets a whole request: size, key, version, correlation id.
func (c *interceptedConn) Write(b []byte) (int, error) {
	r := requestOf{int16(binary.BigEndian.Uint16(b[4:])), int16(binary.BigEndian.Uint16(b[6:]))}
	c.intercept.mu.Lock()
	f := c.intercept.request
	c.intercept.mu.Unlock()
	if f != nil {
		if err := f(r.key); err == errSwallow {
			return len(b), nil
		} else if err != nil {
			c.Conn.Close()
			return 0, err
		}
	}
	c.mu.Lock()
	c.sent[int32(binary.BigEndian.Uint32(b[8:]))] = r
	c.mu.Unlock()
	return c.Conn.Write(b)
}

// Read gives the client a response at a time.
func (c *interceptedConn) Read(b []byte) (int, error) {
	if len(c.rest) == 0 {
		size := make([]byte, 4)
		if _, err := io.ReadFull(c.Conn, size); err != nil {
			return 0, err
		}
		frame := make([]byte, binary.BigEndian.Uint32(size))
		if _, err := io.ReadFull(c.Conn, frame); err != nil {
			return 0, err
		}
		frame, err := c.change(frame)
		if err != nil {
			c.Conn.Close()
			return 0, err
		}
		c.rest = append(binary.BigEndian.AppendUint32(nil, uint32(len(frame))), frame...)
	}
	n := copy(b, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

func (c *interceptedConn) change(frame []byte) ([]byte, error) {
	id := int32(binary.BigEndian.Uint32(frame))
	c.mu.Lock()
	r := c.sent[id]
	delete(c.sent, id)
	c.mu.Unlock()
	c.intercept.mu.Lock()
	f := c.intercept.response
	c.intercept.mu.Unlock()
	if f == nil {
		return frame, nil
	}
	resp := kmsg.ResponseForKey(r.key)
	resp.SetVersion(r.version)
	head := 4
	if resp.IsFlexible() && r.key != int16(kmsg.ApiVersions) {
		head = 5 // no tags
	}
	if err := resp.ReadFrom(frame[head:]); err != nil {
		return frame, nil // a version fallback of ApiVersions: not what a test looks at
	}
	if err := f(r.key, resp); err != nil {
		return nil, err
	}
	return resp.AppendTo(append([]byte(nil), frame[:head]...)), nil
}
