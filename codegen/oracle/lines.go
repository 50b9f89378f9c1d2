package oracle

import (
	"encoding/json"
	"errors"
	"io"
)

// The lines of a vector, as testdriver/vectors reads them.

type line struct {
	In      string          `json:"in"`
	Key     json.RawMessage `json:"key"`
	Value   json.RawMessage `json:"value"`
	TS      int64           `json:"ts"`
	Headers [][2]*string    `json:"headers,omitempty"`
	Out     []lineOut       `json:"out"`
	Error   string          `json:"error,omitempty"`
}

type lineOut struct {
	Topic   string          `json:"topic"`
	Key     json.RawMessage `json:"key"`
	Value   json.RawMessage `json:"value"`
	TS      int64           `json:"ts"`
	Headers [][2]*string    `json:"headers,omitempty"`
}

type lineRow struct {
	Key   json.RawMessage `json:"key"`
	Value json.RawMessage `json:"value"`
	TS    int64           `json:"ts"`
}

// Vector feeds the records of a vector and gives the vector that says what came out, and what the stores hold.
func Vector(o *Oracle, inputs io.Reader, stores []string) (text []byte, err error) {
	for all := json.NewDecoder(inputs); ; {
		var l line
		if err := all.Decode(&l); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		if l.In == "" {
			continue
		}
		in := Record{Topic: l.In, Key: l.Key, Value: l.Value, Timestamp: l.TS}
		for _, h := range l.Headers {
			x := Header{Key: *h[0]}
			if h[1] != nil {
				x.Value = []byte(*h[1])
			}
			in.Headers = append(in.Headers, x)
		}
		next, _, stopped, err := o.Line(in)
		if err != nil {
			return nil, err
		}
		if text = append(append(text, next...), '\n'); stopped {
			return text, nil
		}
	}
	last, err := o.StoresLine(stores)
	return append(text, last...), err
}

// Line feeds a record and gives the line of a vector that says what came out. The one of a record that stops the program is the last.
func (o *Oracle) Line(in Record) (text []byte, sent int, stopped bool, err error) {
	l := line{In: in.Topic, Key: in.Key, Value: in.Value, TS: in.Timestamp, Headers: pairs(in.Headers), Out: []lineOut{}}
	var unknown *NotCovered
	if err := o.Feed(in); errors.As(err, &unknown) {
		return nil, 0, false, err
	} else if err != nil {
		l.Error, stopped = err.Error(), true
	}
	for _, r := range o.Sent() {
		l.Out = append(l.Out, lineOut{r.Topic, r.Key, r.Value, r.Timestamp, pairs(r.Headers)})
	}
	text, err = json.Marshal(l)
	return text, len(l.Out), stopped, err
}

// StoresLine gives the last line of a vector: the rows of stores. Those are left out that hold what JSON cannot write, and those with a
// history.
func (o *Oracle) StoresLine(names []string) ([]byte, error) {
	stores := map[string][]lineRow{}
	for _, name := range names {
		rows, err := o.Table(name)
		if err != nil {
			continue
		}
		list := []lineRow{}
		for _, r := range rows {
			if r.AsOf != nil {
				list = nil
				break
			}
			list = append(list, lineRow{r.Key, r.Value, r.Timestamp})
		}
		if list != nil {
			stores[name] = list
		}
	}
	return json.Marshal(map[string]any{"stores": stores})
}

func pairs(list []Header) (out [][2]*string) {
	for _, h := range list {
		pair := [2]*string{&h.Key}
		if h.Value != nil {
			v := string(h.Value)
			pair[1] = &v
		}
		out = append(out, pair)
	}
	return out
}
