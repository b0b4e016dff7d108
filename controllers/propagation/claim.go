// SPDX-License-Identifier: Apache-2.0

package propagation

import (
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

// claim is what a template and its binding carry of the policy they go by.
type claim struct {
	labels, annotations map[string]string
}

// claimLabels and claimAnnotations are all keys that a claim may have.
var (
	claimLabels = []string{
		policyv1alpha1.PropagationPolicyPermanentIDLabel, policyv1alpha1.ClusterPropagationPolicyPermanentIDLabel,
	}
	claimAnnotations = []string{
		policyv1alpha1.PropagationPolicyNamespaceAnnotation, policyv1alpha1.PropagationPolicyNameAnnotation,
		policyv1alpha1.ClusterPropagationPolicyNameAnnotation,
	}
)

// idLabel returns the label that holds the permanent id of a policy of this kind.
func idLabel(p policyv1alpha1.Policy) string {
	if p.GetNamespace() == "" {
		return policyv1alpha1.ClusterPropagationPolicyPermanentIDLabel
	}
	return policyv1alpha1.PropagationPolicyPermanentIDLabel
}

// claimOf returns the claim of a policy.
func claimOf(p policyv1alpha1.Policy) claim {
	label := idLabel(p)
	c := claim{labels: map[string]string{label: p.GetLabels()[label]}}
	if p.GetNamespace() == "" {
		c.annotations = map[string]string{policyv1alpha1.ClusterPropagationPolicyNameAnnotation: p.GetName()}
	} else {
		c.annotations = map[string]string{
			policyv1alpha1.PropagationPolicyNamespaceAnnotation: p.GetNamespace(),
			policyv1alpha1.PropagationPolicyNameAnnotation:      p.GetName(),
		}
	}
	return c
}

// claimingPolicy returns the empty policy that the claim of an object names, or nil.
func claimingPolicy(o metav1.Object) policyv1alpha1.Policy {
	annotations := o.GetAnnotations()
	switch {
	case claimID(o) == "":
		return nil
	case annotations[policyv1alpha1.PropagationPolicyNameAnnotation] != "":
		return &policyv1alpha1.PropagationPolicy{ObjectMeta: metav1.ObjectMeta{
			Namespace: annotations[policyv1alpha1.PropagationPolicyNamespaceAnnotation],
			Name:      annotations[policyv1alpha1.PropagationPolicyNameAnnotation],
		}}
	case annotations[policyv1alpha1.ClusterPropagationPolicyNameAnnotation] != "":
		return &policyv1alpha1.ClusterPropagationPolicy{ObjectMeta: metav1.ObjectMeta{
			Name: annotations[policyv1alpha1.ClusterPropagationPolicyNameAnnotation],
		}}
	}
	return nil
}

// set writes the claim into an object, in place of any other; the empty claim takes
// it out. It reports whether that changed anything.
func (c claim) set(o metav1.Object) bool {
	labels, l := replaceKeys(o.GetLabels(), claimLabels, c.labels)
	annotations, a := replaceKeys(o.GetAnnotations(), claimAnnotations, c.annotations)
	o.SetLabels(labels)
	o.SetAnnotations(annotations)
	return l || a
}

func replaceKeys(m map[string]string, keys []string, with map[string]string) (map[string]string, bool) {
	replaced := maps.Clone(m)
	if replaced == nil {
		replaced = map[string]string{}
	}
	for _, k := range keys {
		delete(replaced, k)
	}
	maps.Copy(replaced, with)
	return replaced, !maps.Equal(m, replaced)
}

// claimID returns the permanent id of the policy that claimed an object, or "".
func claimID(o metav1.Object) string {
	for _, label := range claimLabels {
		if id := o.GetLabels()[label]; id != "" {
			return id
		}
	}
	return ""
}
