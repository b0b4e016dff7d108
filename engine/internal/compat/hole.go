// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"strings"

	"github.com/dragoman-io/dragoman/engine/script"
)

// maxPath is how many bytes of the path to a hole are shown.
const maxPath = 200

// holeBytes is what a hole takes.
const holeBytes = 64

// hole is the first hole of a list by the order of the keys that lead to it.
type hole struct {
	// keys are those on the way, innermost first.
	keys []string
	// item is the number of the item that is missing, from 1.
	item int
}

// holeError returns the error for a result with a hole.
func holeError(v any, tally *script.Tally) error {
	h, err := findHole(v, tally)
	if err != nil {
		return err
	}
	var path strings.Builder
	for i := len(h.keys) - 1; i >= 0; i-- {
		if path.Len()+len(h.keys[i]) > maxPath {
			path.WriteString("...")
			break
		}
		path.WriteString("." + h.keys[i])
	}
	return script.Errorf(script.Result, "the list result%s has no item %d but later ones", path.String(), h.item)
}

// findHole returns the first hole of a value, nil where there is none.
func findHole(v any, tally *script.Tally) (*hole, error) {
	switch x := v.(type) {
	case map[string]any:
		return findHoleBelow(x, tally)
	case []any:
		if err := tally.Add(int64(len(x)), 0); err != nil {
			return nil, err
		}
		for i, e := range x {
			if e == nil {
				return &hole{item: i + 1}, tally.Add(1, holeBytes)
			}
			if h, err := findHole(e, tally); h != nil || err != nil {
				return h, err
			}
		}
	}
	return nil, nil
}

func findHoleBelow(x map[string]any, tally *script.Tally) (*hole, error) {
	if err := tally.Add(int64(len(x)), 0); err != nil {
		return nil, err
	}
	var first *hole
	var under string
	for key, e := range x {
		h, err := findHole(e, tally)
		if err == nil {
			err = tally.Text(len(key))
		}
		if err != nil {
			return nil, err
		}
		if h != nil && (first == nil || key < under) {
			first, under = h, key
		}
	}
	if first != nil {
		if err := tally.Add(0, script.ListBytes(1)); err != nil {
			return nil, err
		}
		first.keys = append(first.keys, under)
	}
	return first, nil
}
