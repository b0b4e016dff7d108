// SPDX-License-Identifier: Apache-2.0

package author

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine/author/redact"
)

// Redact returns a copy of an object without what a case has no use for or must not show, and the paths of
// what was taken out, sorted; see redact.Object.
func Redact(object *unstructured.Unstructured) (*unstructured.Unstructured, []string) {
	return redact.Object(object)
}
