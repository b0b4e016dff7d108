// SPDX-License-Identifier: Apache-2.0

// Package claim decides which policy applies to a template: how the policies that select
// it compete, which labels and annotations a template and its binding have from the one
// that claimed them, and how these are written and removed. It is shared by the
// controllers of templates and of policies, and knows neither.
package claim

import (
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/content"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
)

// Claim holds the labels and annotations that a template and its binding have from their
// policy. The zero value is that of no policy.
type Claim struct {
	labels, annotations map[string]string
}

// DeferredAnnotation is on a template that a policy with lazy activation claimed and that
// has no binding yet: the hash of the content that is not propagated.
const DeferredAnnotation = "propagation.dragoman.io/deferred"

// claimLabels and claimAnnotations are all keys that a claim may have.
var (
	claimLabels = []string{
		policyv1alpha1.PropagationPolicyPermanentIDLabel, policyv1alpha1.ClusterPropagationPolicyPermanentIDLabel,
	}
	claimAnnotations = []string{
		policyv1alpha1.PropagationPolicyNamespaceAnnotation, policyv1alpha1.PropagationPolicyNameAnnotation,
		policyv1alpha1.ClusterPropagationPolicyNameAnnotation, DeferredAnnotation,
	}
)

// Of returns the claim of a policy.
func Of(p policyv1alpha1.Policy) Claim {
	c := Claim{labels: map[string]string{scope.PolicyIDLabel(p): scope.PolicyID(p)}}
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

// Deferred returns the claim with the hash of the content that waits for the next change
// of the template.
func (c Claim) Deferred(fingerprint string) Claim {
	c.annotations = maps.Clone(c.annotations)
	c.annotations[DeferredAnnotation] = fingerprint
	return c
}

// Policy returns the empty policy that the claim of an object names, or nil.
func Policy(o metav1.Object) policyv1alpha1.Policy {
	annotations := o.GetAnnotations()
	switch {
	case ID(o) == "":
		return nil
	case annotations[policyv1alpha1.PropagationPolicyNameAnnotation] != "":
		return scope.EmptyPolicy(annotations[policyv1alpha1.PropagationPolicyNamespaceAnnotation], annotations[policyv1alpha1.PropagationPolicyNameAnnotation])
	case annotations[policyv1alpha1.ClusterPropagationPolicyNameAnnotation] != "":
		return scope.EmptyPolicy("", annotations[policyv1alpha1.ClusterPropagationPolicyNameAnnotation])
	}
	return nil
}

// Names reports whether the claim of an object names a policy.
func Names(o metav1.Object, p policyv1alpha1.Policy) bool {
	named := Policy(o)
	return named != nil && named.GetNamespace() == p.GetNamespace() && named.GetName() == p.GetName()
}

// Content returns the object without its status, without what the API server fills in and
// without its claim: what its authors wrote. It is shared with the object and must not be
// changed.
func Content(o *unstructured.Unstructured) map[string]any {
	content := content.Of(o)
	metadata, ok := content["metadata"].(map[string]any)
	if !ok {
		return content
	}
	for field, keys := range map[string][]string{"labels": claimLabels, "annotations": claimAnnotations} {
		values, ok := metadata[field].(map[string]any)
		if !ok {
			continue
		}
		values = maps.Clone(values)
		for _, k := range keys {
			delete(values, k)
		}
		metadata[field] = values
		if len(values) == 0 {
			delete(metadata, field)
		}
	}
	return content
}

// Set writes the claim into an object, in place of any other; the empty claim removes it.
// It reports whether that changed anything.
func (c Claim) Set(o metav1.Object) bool {
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

// ID returns the permanent id of the policy that claimed an object, or "".
func ID(o metav1.Object) string {
	for _, label := range claimLabels {
		if id := o.GetLabels()[label]; id != "" {
			return id
		}
	}
	return ""
}
