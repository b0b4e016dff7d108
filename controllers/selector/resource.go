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
	if s.APIVersion != object.GetAPIVersion() || s.Kind != object.GetKind() {
		return NoMatch, nil
	}
	if s.Namespace != "" && s.Namespace != object.GetNamespace() {
		return NoMatch, nil
	}
	if s.Name != "" {
		if s.Name == object.GetName() {
			return MatchName, nil
		}
		return NoMatch, nil
	}
	if s.LabelSelector == nil {
		return MatchAll, nil
	}
	selector, err := metav1.LabelSelectorAsSelector(s.LabelSelector)
	if err != nil {
		return NoMatch, err
	}
	if selector.Matches(labels.Set(object.GetLabels())) {
		return MatchLabels, nil
	}
	return NoMatch, nil
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
