// SPDX-License-Identifier: Apache-2.0

package selector

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

// Specificity is how closely a resource selector names an object; higher is closer.
type Specificity int

const (
	// NoMatch means that the object is not selected.
	NoMatch Specificity = iota
	// MatchAll means that the selector names the kind alone.
	MatchAll
	// MatchLabels means that the labels match.
	MatchLabels
	// MatchName means that the selector names the object.
	MatchName
)

// Match returns how closely a resource selector names an object. It compares apiVersion
// and kind exactly, then the namespace where the selector has one, then the name or else
// the labels. The error is that of a malformed label selector.
func Match(s *policyv1alpha1.ResourceSelector, object *unstructured.Unstructured) (Specificity, error) {
	found, _, err := match(s, object)
	return found, err
}

// match returns how closely a resource selector names an object, and of one that does not
// the first field that differs.
func match(s *policyv1alpha1.ResourceSelector, object *unstructured.Unstructured) (Specificity, field, error) {
	if s.Kind != object.GetKind() {
		return NoMatch, fieldKind, nil
	}
	if s.APIVersion != object.GetAPIVersion() {
		return NoMatch, fieldAPIVersion, nil
	}
	if s.Namespace != "" && s.Namespace != object.GetNamespace() {
		return NoMatch, fieldNamespace, nil
	}
	if s.Name != "" {
		if s.Name == object.GetName() {
			return MatchName, fieldNone, nil
		}
		return NoMatch, fieldName, nil
	}
	if s.LabelSelector == nil {
		return MatchAll, fieldNone, nil
	}
	selector, err := metav1.LabelSelectorAsSelector(s.LabelSelector)
	if err != nil {
		return NoMatch, fieldLabels, err
	}
	if selector.Matches(labels.Set(object.GetLabels())) {
		return MatchLabels, fieldNone, nil
	}
	return NoMatch, fieldLabels, nil
}

// MatchAny returns how closely the closest of some selectors names an object. The error
// names the selector that is malformed, as spec.resourceSelectors[i].
func MatchAny(selectors []policyv1alpha1.ResourceSelector, object *unstructured.Unstructured) (Specificity, error) {
	best := NoMatch
	for i := range selectors {
		found, err := Match(&selectors[i], object)
		if err != nil {
			return NoMatch, fmt.Errorf("spec.resourceSelectors[%d]: %w", i, err)
		}
		best = max(best, found)
	}
	return best, nil
}

// MatchesOtherVersion reports whether some selector selects an object in another version
// of its kind.
func MatchesOtherVersion(selectors []policyv1alpha1.ResourceSelector, object *unstructured.Unstructured) bool {
	kind := object.GroupVersionKind()
	for _, s := range selectors {
		if schema.FromAPIVersionAndKind(s.APIVersion, s.Kind).GroupKind() != kind.GroupKind() {
			continue
		}
		s.APIVersion = object.GetAPIVersion()
		if found, err := Match(&s, object); err == nil && found != NoMatch {
			return true
		}
	}
	return false
}

// Required returns a label that all objects have which a label selector selects: its key,
// and the values of which it has one. No values mean any. Without such a label, ok is
// false.
func Required(s *metav1.LabelSelector) (key string, values []string, ok bool) {
	if s == nil {
		return "", nil, false
	}
	for k, v := range s.MatchLabels {
		if !ok || k < key {
			key, values, ok = k, []string{v}, true
		}
	}
	if ok {
		return key, values, true
	}
	for _, e := range s.MatchExpressions {
		switch {
		case e.Operator == metav1.LabelSelectorOpIn && len(e.Values) > 0:
			return e.Key, e.Values, true
		case e.Operator == metav1.LabelSelectorOpExists && !ok:
			key, ok = e.Key, true
		}
	}
	return key, nil, ok
}
