// SPDX-License-Identifier: Apache-2.0

// Package content knows which part of an object its authors wrote: all except its status
// and what the API server fills in. Two versions of an object are compared by that part.
package content

import (
	"bytes"
	"maps"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// keptByServer are the fields of metadata that an API server fills in.
var keptByServer = []string{
	"creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid",
}

// Of returns the object without its status and without what the API server fills in. The
// map and its metadata may be changed; the rest is shared with the object.
func Of(o *unstructured.Unstructured) map[string]any {
	kept := maps.Clone(o.Object)
	delete(kept, "status")
	if metadata, ok := kept["metadata"].(map[string]any); ok {
		metadata = maps.Clone(metadata)
		for _, field := range keptByServer {
			delete(metadata, field)
		}
		kept["metadata"] = metadata
	}
	return kept
}

// Same reports whether two versions of an object differ in nothing but their status and
// what the API server fills in.
func Same(a, b *unstructured.Unstructured) bool {
	return equality.Semantic.DeepEqual(Of(a), Of(b))
}

// SameJSON reports whether two texts are the same JSON value: an API server may format
// one differently. Texts that are not JSON are the same if they are equal.
func SameJSON(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var x, y any
	return utiljson.Unmarshal(a, &x) == nil && utiljson.Unmarshal(b, &y) == nil && equality.Semantic.DeepEqual(x, y)
}
