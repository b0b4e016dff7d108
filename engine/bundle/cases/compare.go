// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"encoding/json"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/utils/clock"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// compare returns the differences between a result of a case and what is expected of
// it. got is as Snapshot.Evaluate returns it, and paid for.
func (c *Case) compare(m *meter, r engine.Result, got any) []Failure {
	if !m.take(comparisonGas(c.output[r.Name].Value)) {
		return unpaid(r.Name)
	}
	if !r.Typed() {
		if object, ok := got.(*unstructured.Unstructured); ok {
			got = object.Object
		}
		return c.difference(m, r, sides{want: c.output[r.Name].Value, got: c.plain(got)})
	}
	want, err := c.expected(r, c.output[r.Name])
	if err != nil {
		return []Failure{{Path: r.Name, Want: text(c.output[r.Name].Value), Got: text(plain(got))}}
	}
	if !fits(got) {
		return []Failure{{Path: r.Name, Want: text(c.output[r.Name].Value), Got: text(tooLarge)}}
	}
	if len(c.ignored) == 0 {
		return typed(r, want, r.Sorted(got))
	}
	w, g := keyed(r, plain(want), plain(r.Sorted(got)))
	return c.difference(m, r, sides{want: w, got: g, same: sameQuantity})
}

// sides are two plain values that are compared, and what takes some for equal; see diff.
type sides struct {
	want, got any
	same      func(path string, want, got any) bool
}

// difference compares two plain values of a result but for what the case ignores.
func (c *Case) difference(m *meter, r engine.Result, s sides) []Failure {
	want, failures := c.withoutIgnored(m, r.Name, s.want, s.got)
	return append(diff(r.Name, want, s.got, s.same), failures...)
}

// expected returns what a case expects of a result, in the form of the result; a field
// that its type does not have is an error, except in the published form.
func (c *Case) expected(r engine.Result, want yamldoc.Node) (any, error) {
	if r.Typed() {
		if err := checkQuantities(want); err != nil {
			return nil, err
		}
	}
	text, err := json.Marshal(want.Value)
	if err != nil {
		return nil, want.Errorf("%v", err)
	}
	value, err := r.Read(text, !c.published)
	if err != nil {
		return nil, want.Errorf("%v", err)
	}
	return value, nil
}

// typed compares by the meaning of the type: quantities by value, nil as empty. The
// items of a list with a key are compared by it, so that paths read well.
func typed(r engine.Result, want, got any) []Failure {
	w, g := plain(want), plain(got)
	if apiequality.Semantic.DeepEqual(want, got) || empty(w) && empty(g) {
		return nil
	}
	w, g = keyed(r, w, g)
	if failures := diff(r.Name, w, g, sameQuantity); len(failures) > 0 {
		return failures
	}
	return []Failure{{Path: r.Name, Want: text(w), Got: text(g)}}
}

// keyed returns two values of a result with their items by its key, where it has one and both can be.
func keyed(r engine.Result, want, got any) (w, g any) {
	if r.Key == "" {
		return want, got
	}
	return byKey(r.Key, want), byKey(r.Key, got)
}

// byKey makes a map of a list by a field of its items; a list whose items do not differ
// in it stays a list.
func byKey(key string, list any) any {
	items, _ := list.([]any)
	named := map[string]any{}
	for _, item := range items {
		m, _ := item.(map[string]any)
		name, _ := m[key].(string)
		if _, twice := named[name]; twice || name == "" {
			return list
		}
		named[name] = m
	}
	return named
}

// plain returns a result as the expected values of the case are: in the published form
// all numbers are floats.
func (c *Case) plain(v any) any {
	exact := plain(v)
	if !c.published {
		return exact
	}
	data, err := json.Marshal(exact)
	if err != nil {
		return exact
	}
	var rounded any
	if err := json.Unmarshal(data, &rounded); err != nil {
		return exact
	}
	return rounded
}

// plain returns a value as JSON has it, whole numbers as int64, and a text in place of one
// that is too large to be compared.
func plain(v any) any {
	if !fits(v) {
		return tooLarge
	}
	data, err := json.Marshal(v)
	if err != nil {
		return v
	}
	var p any
	if err := utiljson.Unmarshal(data, &p); err != nil {
		return v
	}
	return p
}

// Differences returns how two answers to one question differ in a result: what Snapshot.Evaluate
// returned before as Want, and after as Got. What cases take for equal is no difference.
func Differences(r engine.Result, before, after any) []Failure {
	if r.Typed() {
		return typed(r, r.Sorted(before), r.Sorted(after))
	}
	return diff(r.Name, plain(before), plain(after), nil)
}

// Clock is the clock of cases, so that what asks for the time answers the same in every run.
func Clock() clock.PassiveClock { return fixed(Now()) }
