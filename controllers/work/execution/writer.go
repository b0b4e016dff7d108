// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// fieldManager is the name of execution among the writers of an object.
const fieldManager = "dragoman"

// writerOf returns the field manager other than ours that wrote a field last, by the
// managedFields of the object; empty where none is named. What autoscalers write is an entry of
// the subresource scale; that of status has no field that we write.
func writerOf(o *unstructured.Unstructured, elements []string) string {
	var (
		writer string
		latest metav1.Time
	)
	for _, entry := range o.GetManagedFields() {
		if entry.Manager == fieldManager || entry.FieldsV1 == nil || entry.Subresource == "status" {
			continue
		}
		owned := map[string]any{}
		if utiljson.Unmarshal(entry.FieldsV1.GetRawBytes(), &owned) != nil || !hasField(owned, elements) {
			continue
		}
		if writer == "" || entry.Time != nil && latest.Before(entry.Time) {
			writer = entry.Manager
			if entry.Time != nil {
				latest = *entry.Time
			}
		}
	}
	return writer
}

// hasField reports whether a set of fields has one of a path, as a whole or in part.
func hasField(owned map[string]any, elements []string) bool {
	for _, element := range elements {
		next, ok := owned[element].(map[string]any)
		if !ok && strings.HasPrefix(element, "f:") {
			return len(owned) == 0
		}
		if !ok {
			return true // of a list whose items are known by other keys, or by none
		}
		owned = next
	}
	return true
}
