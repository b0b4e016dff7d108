// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"encoding/json"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// readSubset reads what the results must contain.
func (d *parsedCase) readSubset() error {
	if d.subset.Value == nil {
		return nil
	}
	if m, isMap := d.subset.Value.(map[string]any); isMap && len(m) == 0 {
		return d.subset.Errorf("it names no result, so that it checks nothing")
	}
	d.Case.subset = map[string]yamldoc.Node{}
	return d.subset.Each(func(key string, value yamldoc.Node) error {
		result, err := resultNamed(d.Operation, key)
		if err != nil {
			return value.Errorf("%v", err)
		}
		if _, exact := d.Case.output[key]; exact {
			return value.Errorf("output and changes say all of it; give it in one of them alone")
		}
		d.Case.subset[key] = value.Leaf()
		return fitsType(result, value)
	})
}

// fitsType returns an error where a part of a result has a field that the type of the result does not have.
func fitsType(r engine.Result, part yamldoc.Node) error {
	if !r.Typed() {
		return nil
	}
	if err := checkQuantities(part); err != nil {
		return err
	}
	text, err := json.Marshal(part.Value)
	if err != nil {
		return part.Errorf("%v", err)
	}
	if _, err := r.Read(text, true); err != nil {
		return part.Errorf("%v", err)
	}
	return nil
}

// compareSubset returns what a result lacks of what a case says that it contains: of a map the keys that the
// case names, of a list all items. Where the order of items means nothing, they are compared by their key, or
// each with one that contains it.
func (c *Case) compareSubset(r engine.Result, got any) []Failure {
	if object, ok := got.(*unstructured.Unstructured); ok {
		got = object.Object
	}
	want := c.subset[r.Name].Value
	d := differ{subset: true}
	if !r.Typed() {
		d.values(r.Name, want, plain(got))
		return d.failures
	}
	d.same = sameQuantity
	w, g := keyed(r, want, plain(r.Sorted(got)))
	wanted, isMap := w.(map[string]any)
	have, isMap2 := g.(map[string]any)
	if r.Key != "" && isMap && isMap2 {
		keys := slices.Collect(maps.Keys(wanted))
		for key := range have {
			if _, both := wanted[key]; !both {
				keys = append(keys, key)
			}
		}
		d.entries(r.Name, wanted, have, keys)
		return d.failures
	}
	if list, isList := w.([]any); isList && r.IsUnordered() {
		if have, isList := g.([]any); isList && contained(list, have) {
			return nil
		}
	}
	d.values(r.Name, w, g)
	return d.failures
}

// contained reports whether each item of a list is contained in an item of its own of another list that is as
// long.
func contained(want, have []any) bool {
	if len(want) != len(have) || len(want) > maxFailures {
		return false
	}
	of := make([]int, len(have)) // which wanted item each has, from 1
	var find func(i int, seen []bool) bool
	find = func(i int, seen []bool) bool {
		for j := range have {
			if seen[j] || !contains(have[j], want[i]) {
				continue
			}
			seen[j] = true
			if of[j] == 0 || find(of[j]-1, seen) {
				of[j] = i + 1
				return true
			}
		}
		return false
	}
	for i := range want {
		if !find(i, make([]bool, len(have))) {
			return false
		}
	}
	return true
}

// contains reports whether a value contains another one.
func contains(have, want any) bool {
	d := differ{subset: true, same: sameQuantity}
	d.values("", want, have)
	return len(d.failures) == 0
}
