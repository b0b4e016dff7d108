// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/engine/internal/compat"
	"github.com/dragoman-io/dragoman/engine/script"
)

// InterpretDependency asks which objects must be where an object is.
const InterpretDependency Op = "InterpretDependency"

var dependencyOp = &operation[*unstructured.Unstructured, []configv1alpha1.DependentObjectReference]{
	Operation: Operation{
		Name: InterpretDependency, Field: "dependencyInterpretation", Entry: "GetDependencies", File: "dependencies", About: AboutTemplate,
		Params:  []Param{{"object", ObjectParam}},
		Results: []Result{listResult("dependencies", "", sortedReferences)},
		Doc:     "The objects that must be where this object is.",
	},
	input: inputObject, bind: bindObject,
	unite: uniteReferences,
	forms: []compat.Form{compat.List},
	decode: func(_ *unstructured.Unstructured, r *reader, results []any) ([]configv1alpha1.DependentObjectReference, error) {
		references, err := r.references(at(results, 0))
		return references, below("dependencies", err)
	},
}

// referenceSteps is what a reference takes beside its fields, and being sorted; and
// referenceBytes what it takes twice, since answers unite.
const (
	referenceSteps = 48
	referenceBytes = 320
)

// references reads a list of references.
func (r *reader) references(list any) ([]configv1alpha1.DependentObjectReference, error) {
	all := []configv1alpha1.DependentObjectReference{}
	ok, err := r.items(list, func(value any) error {
		if err := r.Add(referenceSteps, referenceBytes); err != nil {
			return err
		}
		reference, err := r.reference(value)
		all = append(all, reference)
		return err
	})
	if err == nil && !ok {
		err = wrong("want a list, got a %s", script.TypeName(list))
	}
	if err != nil {
		return nil, err
	}
	return all, nil
}

// reference reads one reference.
func (r *reader) reference(value any) (configv1alpha1.DependentObjectReference, error) {
	var to configv1alpha1.DependentObjectReference
	err := r.fields(value, func(key string, v any) error {
		var err error
		switch key {
		case "apiVersion":
			to.APIVersion, err = r.string(v)
		case "kind":
			to.Kind, err = r.string(v)
		case "namespace":
			to.Namespace, err = r.string(v)
		case "name":
			to.Name, err = r.string(v)
		case "labelSelector":
			to.LabelSelector, err = r.labelSelector(v)
		default:
			return r.unknownField(key, "apiVersion", "kind", "namespace", "name", "labelSelector")
		}
		return belowField(key, err)
	})
	switch {
	case err != nil:
	case to.APIVersion == "":
		err = belowField("apiVersion", wrong("a reference must have it"))
	case to.Kind == "":
		err = belowField("kind", wrong("a reference must have it"))
	case to.Name == "" && to.LabelSelector == nil:
		err = wrong("a reference must have a name or a labelSelector")
	}
	return to, err
}

// Dependencies asks for the objects that must go where the object goes, sorted and
// without repetition. Where several customizations answer, their answers unite.
func (v Snapshot) Dependencies(object *unstructured.Unstructured) ([]configv1alpha1.DependentObjectReference, error) {
	return run(v, dependencyOp, object, object)
}

// uniteReferences returns the references of all answers, sorted and each once.
func uniteReferences(answers [][]configv1alpha1.DependentObjectReference) []configv1alpha1.DependentObjectReference {
	keyed := keyedReferences(slices.Concat(answers...))
	return plainReferences(slices.CompactFunc(keyed, func(a, b *keyedReference) bool { return a.compare(b) == 0 }))
}

func sortedReferences(all []configv1alpha1.DependentObjectReference) []configv1alpha1.DependentObjectReference {
	return plainReferences(keyedReferences(all))
}

// keyedReference is a reference with the text of its selector, which is made when two
// references differ by nothing before it: to format one takes longer than all else.
type keyedReference struct {
	configv1alpha1.DependentObjectReference
	formatted *string
}

// keyedReferences returns references sorted.
func keyedReferences(all []configv1alpha1.DependentObjectReference) []*keyedReference {
	keyed := make([]keyedReference, len(all))
	sorted := make([]*keyedReference, len(all))
	for i, r := range all {
		keyed[i].DependentObjectReference = r
		sorted[i] = &keyed[i]
	}
	slices.SortStableFunc(sorted, (*keyedReference).compare)
	return sorted
}

func plainReferences(keyed []*keyedReference) []configv1alpha1.DependentObjectReference {
	all := make([]configv1alpha1.DependentObjectReference, len(keyed))
	for i, r := range keyed {
		all[i] = r.DependentObjectReference
	}
	return all
}

func (r *keyedReference) compare(other *keyedReference) int {
	for _, pair := range [...][2]string{
		{r.APIVersion, other.APIVersion},
		{r.Kind, other.Kind},
		{r.Namespace, other.Namespace},
		{r.Name, other.Name},
	} {
		if c := strings.Compare(pair[0], pair[1]); c != 0 {
			return c
		}
	}
	if r.LabelSelector == nil && other.LabelSelector == nil {
		return 0
	}
	return strings.Compare(r.selector(), other.selector())
}

// selector returns the text of the selector.
func (r *keyedReference) selector() string {
	if r.formatted == nil {
		text := metav1.FormatLabelSelector(r.LabelSelector)
		r.formatted = &text
	}
	return *r.formatted
}
