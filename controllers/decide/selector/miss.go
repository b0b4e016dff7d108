// SPDX-License-Identifier: Apache-2.0

package selector

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

// field is a field of a resource selector, in the order in which they are compared.
type field int

const (
	fieldNone field = iota
	fieldKind
	fieldAPIVersion
	fieldNamespace
	fieldName
	fieldLabels
)

// Miss is why no selector of a policy matches an object. The zero value means that there
// is no selector.
type Miss struct {
	// Message names the field of the selector that came closest and what it has.
	Message string
	// Closeness orders misses: the higher, the more fields of the selector matched. It is
	// below SameKind if not even the kind is the same.
	Closeness int
}

// SameKind is the least Closeness of a selector for the kind of the object.
const SameKind = int(fieldAPIVersion)

// ClosestMiss returns why the closest of some selectors, none of which matches the
// object, does not match it. The first of equally close ones counts.
func ClosestMiss(selectors []policyv1alpha1.ResourceSelector, object *unstructured.Unstructured) Miss {
	var closest Miss
	for i := range selectors {
		found, f, err := match(&selectors[i], object)
		if found == NoMatch && int(f) > closest.Closeness {
			closest = Miss{Message: describe(i, f, &selectors[i], object, err), Closeness: int(f)}
		}
	}
	return closest
}

// describe returns what the i-th selector has in the field that differs.
func describe(i int, f field, s *policyv1alpha1.ResourceSelector, object *unstructured.Unstructured, err error) string {
	at := fmt.Sprintf("spec.resourceSelectors[%d]", i)
	switch f {
	case fieldKind:
		return fmt.Sprintf("%s.kind is %s, the object is a %s", at, s.Kind, object.GetKind())
	case fieldAPIVersion:
		return fmt.Sprintf("%s.apiVersion is %s, the object has %s", at, s.APIVersion, object.GetAPIVersion())
	case fieldNamespace:
		return fmt.Sprintf("%s.namespace is %s, the object is in %q", at, s.Namespace, object.GetNamespace())
	case fieldName:
		return fmt.Sprintf("%s.name is %s, the object is %s", at, s.Name, object.GetName())
	}
	if err != nil {
		return fmt.Sprintf("%s.labelSelector: %v", at, err)
	}
	return fmt.Sprintf("%s.labelSelector is %s, which the labels of the object do not match", at, metav1.FormatLabelSelector(s.LabelSelector))
}
