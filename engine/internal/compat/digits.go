// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"

	"github.com/dragoman-io/dragoman/engine/script"
)

// digits are the whole numbers of references that no float holds, by their place and the float
// that they round to. The first one of a place counts.
type digits struct {
	*script.Tally
	of map[string]int64
}

// What a number that no float holds takes, beside the text of its places.
const (
	digitSteps = 80
	digitBytes = 256
)

// digitsOf returns those of the references, nil where they have none.
func digitsOf(references []any, tally *script.Tally) (*digits, error) {
	d := &digits{Tally: tally}
	for _, r := range references {
		if err := d.collect(r, spot{}); err != nil {
			return nil, err
		}
	}
	if len(d.of) == 0 {
		return nil, nil
	}
	return d, nil
}

// spot is where a value is: the keys on the way to it, with the indexes of lists, and without.
type spot struct{ exact, near []byte }

// under returns the spot of a field. The memory is that of s where it has room, so that only one
// spot below s is in use at a time.
func (s spot) under(key string) spot {
	return spot{append(append(s.exact, 0), key...), append(append(s.near, 0), key...)}
}

func (s spot) at(index int) spot {
	return spot{binary.AppendUvarint(append(s.exact, 1), uint64(index)), s.near} //nolint:gosec // not below 0
}

// keys returns the keys of a float at a spot, the exact one first.
func (s spot) keys(f float64) [2]string {
	bits := math.Float64bits(f)
	return [2]string{
		string(binary.BigEndian.AppendUint64(append(slices.Clone(s.exact), 2), bits)),
		string(binary.BigEndian.AppendUint64(append(slices.Clone(s.near), 3), bits)),
	}
}

func (d *digits) collect(v any, s spot) error {
	switch x := v.(type) {
	case map[string]any:
		if err := d.Add(1+int64(len(x)), 0); err != nil {
			return err
		}
		for _, key := range numeric(x) {
			if err := d.Text(len(key)); err != nil {
				return err
			}
			if err := d.collect(x[key], s.under(key)); err != nil {
				return err
			}
		}
	case []any:
		if err := d.Add(1+int64(len(x)), 0); err != nil {
			return err
		}
		for i, e := range x {
			if err := d.collect(e, s.at(i)); err != nil {
				return err
			}
		}
	case int64:
		if !isExact(x) {
			return d.note(x, s)
		}
	}
	return nil
}

// numeric returns the keys of the fields of a map that may have numbers. Their order does not
// matter: no two of them have one place.
func numeric(x map[string]any) []string {
	var keys []string
	for key, e := range x {
		switch e.(type) {
		case map[string]any, []any, int64:
			keys = append(keys, key)
		}
	}
	return keys
}

// note adds a number.
func (d *digits) note(n int64, s spot) error {
	if err := d.pay(s); err != nil {
		return err
	}
	if d.of == nil {
		d.of = map[string]int64{}
	}
	for _, key := range s.keys(float64(n)) {
		if _, known := d.of[key]; !known {
			d.of[key] = n
		}
	}
	return nil
}

func (d *digits) pay(s spot) error {
	if err := d.Text(len(s.exact) + len(s.near)); err != nil {
		return err
	}
	return d.Add(digitSteps, digitBytes+2*int64(len(s.exact)+len(s.near)))
}

// restored returns a value in which each number that no float holds has the digits of the
// reference at its place that rounds to the same float, and reports whether it is another value
// then. What changes is copied.
func (d *digits) restored(v any, s spot) (out any, changed bool, err error) {
	switch x := v.(type) {
	case map[string]any:
		return d.fields(x, s)
	case []any:
		return d.items(x, s)
	case int64:
		if !isExact(x) {
			return d.number(v, float64(x), s)
		}
	case float64:
		if math.Abs(x) > maxExact {
			return d.number(v, x, s)
		}
	}
	return v, false, nil
}

func (d *digits) number(v any, f float64, s spot) (any, bool, error) {
	if err := d.pay(s); err != nil {
		return nil, false, err
	}
	for _, key := range s.keys(f) {
		if n, is := d.of[key]; is {
			return n, n != v, nil
		}
	}
	return v, false, nil
}

func (d *digits) fields(x map[string]any, s spot) (any, bool, error) {
	if err := d.Add(1+int64(len(x)), 0); err != nil {
		return nil, false, err
	}
	var out map[string]any
	for key, e := range x {
		if err := d.Text(len(key)); err != nil {
			return nil, false, err
		}
		v, changed, err := d.restored(e, s.under(key))
		if err != nil {
			return nil, false, err
		}
		if !changed {
			continue
		}
		if out == nil {
			if err := d.Clone(x); err != nil {
				return nil, false, err
			}
			out = maps.Clone(x)
		}
		out[key] = v
	}
	if out == nil {
		return x, false, nil
	}
	return out, true, nil
}

func (d *digits) items(x []any, s spot) (any, bool, error) {
	if err := d.Add(1+int64(len(x)), 0); err != nil {
		return nil, false, err
	}
	var out []any
	for i, e := range x {
		v, changed, err := d.restored(e, s.at(i))
		if err != nil {
			return nil, false, err
		}
		if !changed {
			continue
		}
		if out == nil {
			if err := d.Add(int64(len(x)), script.ListBytes(len(x))); err != nil {
				return nil, false, err
			}
			out = slices.Clone(x)
		}
		out[i] = v
	}
	if out == nil {
		return x, false, nil
	}
	return out, true, nil
}
