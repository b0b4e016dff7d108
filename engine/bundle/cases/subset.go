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
func (c *Case) compareSubset(m *meter, r engine.Result, got any) []Failure {
	if !m.take(comparisonGas(c.subset[r.Name].Value)) {
		return unpaid(r.Name)
	}
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
		if have, isList := g.([]any); isList {
			switch all, paid := contained(m, list, have); {
			case !paid:
				return unpaid(r.Name)
			case all:
				return nil
			}
		}
	}
	d.values(r.Name, w, g)
	return d.failures
}

// contained reports whether each item of a list is contained in an item of its own of another list that is as
// long, and whether the meter had enough to find that out. Two items are compared once at most.
func contained(m *meter, want, have []any) (all, paid bool) {
	if len(want) != len(have) || len(want) > maxFailures {
		return false, true
	}
	a := assignment{meter: m, want: want, have: have, of: make([]int, len(have)), known: make([]bool, len(want)*len(have)), fits: make([]bool, len(want)*len(have))}
	for _, item := range want {
		a.gas = append(a.gas, comparisonGas(item))
	}
	for i := range want {
		if !a.find(i, make([]bool, len(have))) {
			return false, !a.unpaid
		}
	}
	return true, true
}

// assignment assigns each wanted item one that contains it, by augmenting paths.
type assignment struct {
	meter      *meter
	want, have []any
	// gas is what comparing each wanted item takes.
	gas []int64
	// of is which wanted item each has, from 1; 0 is none.
	of []int
	// fits reports whether a wanted item is contained in another one, where that is known; by want and have.
	known, fits []bool
	// unpaid means that the meter was empty.
	unpaid bool
}

// find assigns a wanted item one that was not seen, and others another one for that.
func (a *assignment) find(i int, seen []bool) bool {
	for j := range a.have {
		if seen[j] || !a.contains(i, j) {
			continue
		}
		seen[j] = true
		if a.of[j] == 0 || a.find(a.of[j]-1, seen) {
			a.of[j] = i + 1
			return true
		}
	}
	return false
}

// contains reports whether an item contains a wanted one; false once the meter is empty.
func (a *assignment) contains(i, j int) bool {
	at := i*len(a.have) + j
	if !a.known[at] && !a.unpaid {
		if a.unpaid = !a.meter.take(a.gas[i]); a.unpaid {
			return false
		}
		a.known[at], a.fits[at] = true, contains(a.have[j], a.want[i])
	}
	return a.fits[at]
}

// contains reports whether a value contains another one. It takes as long as that one is large.
func contains(have, want any) bool {
	d := differ{subset: true, first: true, same: sameQuantity}
	d.values("", want, have)
	return len(d.failures) == 0
}
