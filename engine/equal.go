// SPDX-License-Identifier: Apache-2.0

package engine

import "github.com/dragoman-io/dragoman/builtin"

// equal reports whether two plain values are equal, and pays for the comparison by the
// size of the second one: how soon a difference is found depends on the order of maps, and
// the price must not.
func (r *reader) equal(a, b any) (bool, error) {
	if err := r.payWalk(b); err != nil {
		return false, err
	}
	return builtin.Equal(a, b), nil
}

// payWalk pays for a walk over all nodes of a plain value.
func (r *reader) payWalk(v any) error {
	switch x := v.(type) {
	case string:
		return r.Text(len(x))
	case map[string]any:
		if err := r.Add(1+2*int64(len(x)), 0); err != nil {
			return err
		}
		for key, e := range x {
			if err := r.Text(2 * len(key)); err != nil {
				return err
			}
			if err := r.payWalk(e); err != nil {
				return err
			}
		}
	case []any:
		if err := r.Add(1+int64(len(x)), 0); err != nil {
			return err
		}
		for _, e := range x {
			if err := r.payWalk(e); err != nil {
				return err
			}
		}
	}
	return nil
}
