// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"maps"

	"github.com/dragoman-io/dragoman/engine/script"
)

// mender mends a result. What it does not change it does not copy.
type mender struct {
	*script.Tally
	// numbers reports whether there may be numbers to mend.
	numbers bool
}

// dropped stands for a value that has no place in the mended result.
type dropped struct{}

// numberSteps is what printing a large number costs.
const numberSteps = 8

// value mends a value at a place, which is nil where no empty one is at it or below, and
// reports whether it is another one then. It may be dropped.
func (m *mender) value(v any, p *place) (out any, changed bool, err error) {
	switch x := v.(type) {
	case map[string]any:
		if len(x) == 0 {
			return p.mended(v)
		}
		if p != nil || m.numbers {
			return m.fields(x, p)
		}
	case []any:
		if len(x) == 0 {
			return p.mended(v)
		}
		if p != nil || m.numbers {
			return m.items(x, p)
		}
	case int64:
		if !isExact(x) {
			return m.number(v, float64(x))
		}
	case float64:
		return m.number(v, x)
	}
	return v, false, nil
}

func (m *mender) number(v any, f float64) (any, bool, error) {
	if err := m.Add(numberSteps, 0); err != nil {
		return nil, false, err
	}
	out := printed(f)
	return out, out != v, nil
}

func (m *mender) fields(x map[string]any, p *place) (any, bool, error) {
	if err := m.Add(int64(len(x)), 0); err != nil {
		return nil, false, err
	}
	var out map[string]any
	for key, e := range x {
		below, err := p.under(key, e, m.Tally)
		if err != nil {
			return nil, false, err
		}
		v, changed, err := m.value(e, below)
		if err != nil {
			return nil, false, err
		}
		if !changed {
			continue
		}
		if out == nil {
			if err := m.Clone(x); err != nil {
				return nil, false, err
			}
			out = maps.Clone(x)
		}
		if err := m.Text(len(key)); err != nil {
			return nil, false, err
		}
		if v == (dropped{}) {
			delete(out, key)
		} else {
			out[key] = v
		}
	}
	if out == nil {
		return x, false, nil
	}
	return out, true, nil
}

func (m *mender) items(x []any, p *place) (any, bool, error) {
	if err := m.Add(int64(len(x)), 0); err != nil {
		return nil, false, err
	}
	var out []any
	for i, e := range x {
		v, changed, err := m.value(e, p)
		if err != nil {
			return nil, false, err
		}
		if changed && out == nil {
			if err := m.Add(int64(len(x)), script.ListBytes(len(x))); err != nil {
				return nil, false, err
			}
			out = append(make([]any, 0, len(x)), x[:i]...)
		}
		if out != nil && v != (dropped{}) {
			out = append(out, v)
		}
	}
	if out == nil {
		return x, false, nil
	}
	return out, true, nil
}
