// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/engine/internal/compat"
	"github.com/dragoman-io/dragoman/engine/script"
)

// InterpretDependency asks which objects must be where an object is.
const InterpretDependency Op = "InterpretDependency"

var dependencyOp = &operation[*unstructured.Unstructured, []configv1alpha1.DependentObjectReference]{
	Operation: Operation{
		Name: InterpretDependency, Field: "dependencyInterpretation", Entry: "GetDependencies", File: "dependencies",
		Params:  []Param{{"object", ObjectParam}},
		Results: []Result{listResult("dependencies", "", compareReferences)},
		Doc:     "The objects that must be where this object is.",
	},
	input: inputObject, bind: bindObject,
	unite: uniteReferences,
	forms: []compat.Form{compat.List},
	decode: func(_ *unstructured.Unstructured, rule *Rule, results []any) ([]configv1alpha1.DependentObjectReference, error) {
		references := []configv1alpha1.DependentObjectReference{}
		list := at(results, 0)
		ok, err := script.Items(list, func(i int, value any) error {
			r, err := decodeReference(rule, indexed("dependencies", i), value)
			references = append(references, r)
			return err
		})
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, script.Errorf(script.Result, "dependencies: want a list, got a %s", script.TypeName(list))
		}
		return references, nil
	},
}

func decodeReference(rule *Rule, path string, value any) (configv1alpha1.DependentObjectReference, error) {
	var r configv1alpha1.DependentObjectReference
	_, err := decodeFields(path, value, func(key string, v any) error {
		var err error
		switch key {
		case "apiVersion":
			r.APIVersion, err = decodeString(path+".apiVersion", v)
		case "kind":
			r.Kind, err = decodeString(path+".kind", v)
		case "namespace":
			r.Namespace, err = decodeString(path+".namespace", v)
		case "name":
			r.Name, err = decodeString(path+".name", v)
		case "labelSelector":
			r.LabelSelector, err = decodeSelector(rule, path+".labelSelector", v)
		default:
			err = unknownField(rule, path, key, "apiVersion", "kind", "namespace", "name", "labelSelector")
		}
		return err
	})
	switch {
	case err != nil:
	case r.APIVersion == "":
		err = script.Errorf(script.Result, "%s.apiVersion: a reference must have it", path)
	case r.Kind == "":
		err = script.Errorf(script.Result, "%s.kind: a reference must have it", path)
	case r.Name == "" && r.LabelSelector == nil:
		err = script.Errorf(script.Result, "%s: a reference must have a name or a labelSelector", path)
	}
	return r, err
}

func decodeSelector(rule *Rule, path string, v any) (*metav1.LabelSelector, error) {
	plain, err := decodePlainMap(path, v)
	if err != nil {
		return nil, err
	}
	selector := &metav1.LabelSelector{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(plain, selector, !rule.Compat); err != nil {
		return nil, script.Errorf(script.Result, "%s: %v", path, err)
	}
	if _, err := metav1.LabelSelectorAsSelector(selector); err != nil {
		return nil, script.Errorf(script.Result, "%s: %v", path, err)
	}
	return selector, nil
}

// Dependencies asks for the objects that must go where the object goes, sorted and
// without repetition. Where several customizations answer, their answers unite.
func (v Snapshot) Dependencies(object *unstructured.Unstructured) ([]configv1alpha1.DependentObjectReference, error) {
	return run(v, dependencyOp, object, object)
}

// uniteReferences returns the references of all answers, sorted and each once.
func uniteReferences(answers [][]configv1alpha1.DependentObjectReference) []configv1alpha1.DependentObjectReference {
	all := []configv1alpha1.DependentObjectReference{}
	for _, references := range answers {
		all = append(all, references...)
	}
	slices.SortStableFunc(all, compareReferences)
	return slices.CompactFunc(all, func(a, b configv1alpha1.DependentObjectReference) bool { return compareReferences(a, b) == 0 })
}

func compareReferences(a, b configv1alpha1.DependentObjectReference) int {
	return cmp.Or(
		cmp.Compare(a.APIVersion, b.APIVersion), cmp.Compare(a.Kind, b.Kind),
		cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name),
		cmp.Compare(metav1.FormatLabelSelector(a.LabelSelector), metav1.FormatLabelSelector(b.LabelSelector)),
	)
}
