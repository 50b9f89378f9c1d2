// Package dict holds the maps of the language in generated records.
//
// A map(string, V) is a slice of entries in the order of their keys: it is walked, compared and written in that order, the same
// in every run, which a Go map is not, and a decoder fills it without an allocation an entry. A key is found by binary search.
package dict

import (
	"cmp"
	"errors"
	"slices"
)

// ErrKey is what At gives for a key that is not in the map.
var ErrKey = errors.New("no such key in the map")

// Entry is a key with its value.
type Entry[V any] struct {
	Key   string
	Value V
}

// Of is a map from strings: entries in ascending order of their keys' bytes, each key once. Sort makes it so. Nil is the empty map.
type Of[V any] []Entry[V]

// Sort brings entries that were appended into order. Of those with equal keys the last one counts.
func Sort[V any](m Of[V]) Of[V] {
	for i := 1; i < len(m); i++ {
		if m[i-1].Key >= m[i].Key {
			return sort(m)
		}
	}
	return m
}

func sort[V any](m Of[V]) Of[V] {
	slices.SortStableFunc(m, func(a, b Entry[V]) int { return cmp.Compare(a.Key, b.Key) })
	n := 0
	for i := range m {
		if i+1 < len(m) && m[i+1].Key == m[i].Key {
			continue
		}
		if n != i { // they change places: each value keeps memory of its own
			m[n], m[i] = m[i], m[n]
		}
		n++
	}
	return m[:n]
}

// find is where key is, or would be.
func (m Of[V]) find(key string) (int, bool) {
	return slices.BinarySearchFunc(m, key, func(e Entry[V], key string) int { return cmp.Compare(e.Key, key) })
}

// At is the value of key.
func At[V any](m Of[V], key string) (V, error) {
	if i, ok := m.find(key); ok {
		return m[i].Value, nil
	}
	var zero V
	return zero, ErrKey
}

// Has says whether key is in m.
func (m Of[V]) Has(key string) bool {
	_, ok := m.find(key)
	return ok
}
