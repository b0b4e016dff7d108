// SPDX-License-Identifier: Apache-2.0

package manifests_test

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// ownFields are the fields that each API server fills in by itself, by kind; "" is for all
// kinds, and "*" stands for each item of a list.
var ownFields = map[string][]string{
	"": {
		"metadata.uid", "metadata.resourceVersion", "metadata.creationTimestamp", "metadata.generation", "metadata.managedFields", "status",
	},
	"Service": {"spec.clusterIP", "spec.clusterIPs", "spec.healthCheckNodePort", "spec.ports.*.nodePort"},
	"Job": {
		"spec.selector.matchLabels.batch~kubernetes~io/controller-uid", "metadata.labels.batch~kubernetes~io/controller-uid", "metadata.labels.controller-uid",
		"spec.template.metadata.labels.batch~kubernetes~io/controller-uid", "spec.template.metadata.labels.controller-uid",
	},
	"Pod": {"spec.volumes.*.name", "spec.containers.*.volumeMounts.*.name", "spec.initContainers.*.volumeMounts.*.name"},
}

// fieldsOf returns the paths of the fields that the API server owns of an object; of a Pod
// only those of the volume that admission adds.
func fieldsOf(o *unstructured.Unstructured) [][]string {
	var all [][]string
	for _, kind := range []string{"", o.GetKind()} {
		for _, field := range ownFields[kind] {
			path := strings.Split(field, ".")
			for i := range path {
				path[i] = strings.ReplaceAll(path[i], "~", ".")
			}
			all = append(all, path)
		}
	}
	return all
}

// withoutOwn returns the object without what the API server owns.
func withoutOwn(o *unstructured.Unstructured) map[string]any {
	o = o.DeepCopy()
	for _, path := range fieldsOf(o) {
		take(o.Object, path, nil)
	}
	return o.Object
}

// own returns what an object that is sent says about fields that the API server owns.
func own(o *unstructured.Unstructured) map[string][]any {
	o, taken := o.DeepCopy(), map[string][]any{}
	for _, path := range fieldsOf(o) {
		key := strings.Join(path, ".")
		take(o.Object, path, func(value any) {
			// A headless Service has the list of the one that the user wrote.
			if list, _ := value.([]any); !slices.Equal(list, []any{"None"}) {
				taken[key] = append(taken[key], value)
			}
		})
	}
	return taken
}

// take removes the values at a path, and hands them on if f is not nil. The name of a
// volume is taken only if admission generated it.
func take(at any, path []string, f func(any)) {
	switch at := at.(type) {
	case []any:
		for _, item := range at {
			take(item, path[1:], f)
		}
	case map[string]any:
		if len(path) > 1 {
			take(at[path[0]], path[1:], f)
			return
		}
		value, there := at[path[0]]
		name, _ := value.(string)
		if !there || (path[0] == "name" && !strings.HasPrefix(name, "kube-api-access-")) {
			return
		}
		delete(at, path[0])
		if f != nil {
			f(value)
		}
	}
}
