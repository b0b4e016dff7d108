// SPDX-License-Identifier: Apache-2.0

package marker

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
)

// Annotation stands on a template whose label this controller has set, with the name of the controller.
const Annotation = "propagation.dragoman.io/retain-replicas-by"

// retained is the value of the label with which members keep their replicas.
const retained = "true"

// Marked returns a template as it should be, and whether it differs: with the label while a propagated
// autoscaler scales it, and without it afterwards if this controller has set it. A label that somebody
// else has set stays, whatever its value is; one that was taken away from beside the annotation stays
// away.
func Marked(template *unstructured.Unstructured, scaled bool) (*unstructured.Unstructured, bool) {
	value, labeled := template.GetLabels()[policyv1alpha1.RetainReplicasLabel]
	_, ours := template.GetAnnotations()[Annotation]
	if scaled == ours || scaled && labeled {
		return template, false
	}
	next := template.DeepCopy()
	if scaled {
		base.SetLabel(next, policyv1alpha1.RetainReplicasLabel, retained)
		base.SetAnnotation(next, Annotation, name)
		return next, true
	}
	if value == retained {
		base.RemoveLabel(next, policyv1alpha1.RetainReplicasLabel)
	}
	base.RemoveAnnotation(next, Annotation)
	return next, true
}
