package testdriver

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/streamgen/streamgen/runtime/window"
)

// windowedFormat takes a format apart: windowed(string, { kind = "time", size = "5m" }). Size is that of time and sliding windows in
// milliseconds.
func windowedFormat(format string) (inner, kind string, size int64, err error) {
	if in, ok := strings.CutPrefix(format, "optional("); ok {
		format = strings.TrimSuffix(in, ")")
	}
	inner = strings.TrimSuffix(strings.TrimPrefix(format, "windowed("), ")")
	i := strings.LastIndex(inner, ", { kind = ")
	if i < 0 {
		return "", "", 0, fmt.Errorf("the format %s does not say what its windows are", format)
	}
	inner, options := inner[:i], inner[i:]
	_, options, _ = strings.Cut(options, "kind = \"")
	kind, options, _ = strings.Cut(options, "\"")
	if _, text, ok := strings.Cut(options, "size = \""); ok {
		text, _, _ = strings.Cut(text, "\"")
		if days, ok := strings.CutSuffix(text, "d"); ok {
			_, err = fmt.Sscan(days, &size)
			return inner, kind, size * 24 * time.Hour.Milliseconds(), err
		}
		var d time.Duration
		d, err = time.ParseDuration(text)
		size = d.Milliseconds()
	}
	return inner, kind, size, err
}

// windowedKey is the JSON of a key with a window: {"key": "a", "start": 0, "end": 10}.
type windowedKey struct {
	Key   json.RawMessage `json:"key"`
	Start *int64          `json:"start"`
	End   *int64          `json:"end"`
}

func encodeWindowed(format string, text []byte) ([]byte, error) {
	inner, kind, _, err := windowedFormat(format)
	if err != nil {
		return nil, err
	}
	var k windowedKey
	if json.Unmarshal(text, &k) != nil || k.Start == nil || kind == "session" && k.End == nil {
		return nil, fmt.Errorf("%s is no %s", text, format)
	}
	b, err := Encode(inner, k.Key)
	if err != nil {
		return nil, err
	}
	if kind == "session" {
		return window.AppendSessionKey(b, nil, *k.Start, *k.End), nil
	}
	return window.AppendKey(b, nil, *k.Start), nil
}

func decodeWindowed(format string, b []byte) (json.RawMessage, error) {
	inner, kind, size, err := windowedFormat(format)
	if err != nil {
		return nil, err
	}
	key, start, ok := window.SplitKey(b)
	end := window.End(start, size)
	switch kind {
	case "session":
		key, start, end, ok = window.SplitSessionKey(b)
	case "unlimited":
		end = window.Forever
	}
	if !ok {
		return nil, fmt.Errorf("%d bytes are no %s", len(b), format)
	}
	text, err := Decode(inner, key)
	return fmt.Appendf(nil, `{"key":%s,"start":%d,"end":%d}`, text, start, end), err
}
