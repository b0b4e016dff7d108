// SPDX-License-Identifier: Apache-2.0

package base

import (
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// SetLabel sets a label of an object. The map that the object had before is not
// changed, since others may share it.
func SetLabel(o metav1.Object, key, value string) {
	o.SetLabels(Merged(o.GetLabels(), map[string]string{key: value}))
}

// SetAnnotation sets an annotation of an object. The map that the object had before is
// not changed, since others may share it.
func SetAnnotation(o metav1.Object, key, value string) {
	o.SetAnnotations(Merged(o.GetAnnotations(), map[string]string{key: value}))
}

// RemoveAnnotation takes an annotation from an object. The map that the object had
// before is not changed, since others may share it.
func RemoveAnnotation(o metav1.Object, key string) {
	kept := maps.Clone(o.GetAnnotations())
	delete(kept, key)
	o.SetAnnotations(kept)
}

// Merged returns a new map with the keys of both; where both have one, b counts.
func Merged(a, b map[string]string) map[string]string {
	all := make(map[string]string, len(a)+len(b))
	maps.Copy(all, a)
	maps.Copy(all, b)
	return all
}
