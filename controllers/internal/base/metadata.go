// SPDX-License-Identifier: Apache-2.0

package base

import (
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// SetLabel sets a label of an object. The map that the object had before is not
// changed, since others may share it.
func SetLabel(o metav1.Object, key, value string) {
	o.SetLabels(merged(o.GetLabels(), map[string]string{key: value}))
}

// SetAnnotation sets an annotation of an object. The map that the object had before is
// not changed, since others may share it.
func SetAnnotation(o metav1.Object, key, value string) {
	o.SetAnnotations(merged(o.GetAnnotations(), map[string]string{key: value}))
}

// RemoveLabel removes a label of an object. The map that the object had before is not changed.
func RemoveLabel(o metav1.Object, key string) {
	if _, has := o.GetLabels()[key]; has {
		o.SetLabels(without(o.GetLabels(), key))
	}
}

// RemoveAnnotation removes an annotation of an object. The map that the object had before is not
// changed.
func RemoveAnnotation(o metav1.Object, key string) {
	if _, has := o.GetAnnotations()[key]; has {
		o.SetAnnotations(without(o.GetAnnotations(), key))
	}
}

// without returns a new map without a key; nil where nothing is left.
func without(m map[string]string, key string) map[string]string {
	m = maps.Clone(m)
	if delete(m, key); len(m) == 0 {
		return nil
	}
	return m
}

// merged returns a new map with the entries of both; those of b take precedence.
func merged(a, b map[string]string) map[string]string {
	all := make(map[string]string, len(a)+len(b))
	maps.Copy(all, a)
	maps.Copy(all, b)
	return all
}
