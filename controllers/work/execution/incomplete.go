// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// incomplete takes from an object to write what the script for Retain reports that cannot be
// written, and returns it as an error; nil if it reports nothing.
func (a *application) incomplete(next *unstructured.Unstructured) error {
	annotations := next.GetAnnotations()
	reported, is := annotations[workv1alpha2.IncompleteAnnotation]
	if !is {
		return nil
	}
	delete(annotations, workv1alpha2.IncompleteAnnotation)
	if len(annotations) == 0 {
		annotations = nil
	}
	next.SetAnnotations(annotations)
	return fmt.Errorf("update %s in cluster %s: %s", describe(a.desired), a.member.Name, reported)
}
