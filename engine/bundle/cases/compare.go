// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// compare returns the differences between a result of a case and what is expected of
// it. got is as engine.Interpreter.Ask gives it.
func (c *Case) compare(key string, got any) []Failure {
	want, err := c.output[key], error(nil)
	var failures []Failure
	switch g := got.(type) {
	case *workv1alpha2.ReplicaRequirements:
		var w *workv1alpha2.ReplicaRequirements
		w, err = decode[*workv1alpha2.ReplicaRequirements](c, want)
		failures = typed(key, w, g, nil)
	case []workv1alpha2.Component:
		var w []workv1alpha2.Component
		w, err = decode[[]workv1alpha2.Component](c, want)
		failures = typed(key, sortComponents(w), sortComponents(g), byName)
	case []configv1alpha1.DependentObjectReference:
		var w []configv1alpha1.DependentObjectReference
		w, err = decode[[]configv1alpha1.DependentObjectReference](c, want)
		failures = typed(key, sortReferences(w), sortReferences(g), nil)
	case *unstructured.Unstructured:
		return diff(key, want.Value, c.plain(g.Object), nil)
	default:
		return diff(key, want.Value, c.plain(got), nil)
	}
	if err != nil {
		return []Failure{{Path: key, Want: text(want.Value), Got: text(plain(got))}}
	}
	return failures
}

// checkExpected reports whether an expected value can be read as the result is.
func (c *Case) checkExpected(key string, want yamldoc.Node) error {
	var err error
	switch key {
	case "requires":
		_, err = decode[*workv1alpha2.ReplicaRequirements](c, want)
	case "components":
		_, err = decode[[]workv1alpha2.Component](c, want)
	case "dependencies":
		_, err = decode[[]configv1alpha1.DependentObjectReference](c, want)
	}
	return err
}

// decode reads an expected value into its type; a field that the type does not have
// is an error, except in the published form.
func decode[T any](c *Case, want yamldoc.Node) (T, error) {
	var into T
	text, err := json.Marshal(want.Value)
	if err != nil {
		return into, want.Errorf("%v", err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if !c.published {
		d.DisallowUnknownFields()
	}
	if err := d.Decode(&into); err != nil {
		return into, want.Errorf("%v", err)
	}
	return into, nil
}

// typed compares by the meaning of the type: quantities by value, nil as empty. show
// turns the plain form into one whose paths read well.
func typed[T any](key string, want, got T, show func(any) any) []Failure {
	w, g := plain(want), plain(got)
	if apiequality.Semantic.DeepEqual(want, got) || empty(w) && empty(g) {
		return nil
	}
	if show != nil {
		w, g = show(w), show(g)
	}
	if failures := diff(key, w, g, sameQuantity); len(failures) > 0 {
		return failures
	}
	return []Failure{{Path: key, Want: text(w), Got: text(g)}}
}

func sortComponents(list []workv1alpha2.Component) []workv1alpha2.Component {
	return slices.SortedStableFunc(slices.Values(list), func(a, b workv1alpha2.Component) int { return cmp.Compare(a.Name, b.Name) })
}

func sortReferences(list []configv1alpha1.DependentObjectReference) []configv1alpha1.DependentObjectReference {
	return slices.SortedStableFunc(slices.Values(list), func(a, b configv1alpha1.DependentObjectReference) int {
		return cmp.Or(
			cmp.Compare(a.APIVersion, b.APIVersion), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name),
			cmp.Compare(metav1.FormatLabelSelector(a.LabelSelector), metav1.FormatLabelSelector(b.LabelSelector)),
		)
	})
}

// byName makes a map of a list of components, so that a path names the component.
func byName(list any) any {
	items, _ := list.([]any)
	named := map[string]any{}
	for _, item := range items {
		m, _ := item.(map[string]any)
		name, _ := m["name"].(string)
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

// plain returns a value as JSON has it, whole numbers as int64.
func plain(v any) any {
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
