// SPDX-License-Identifier: Apache-2.0

package template

import (
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/claim"
	"github.com/dragoman-io/dragoman/controllers/decide/selection"
)

// deferred reports whether a policy waits for the next change of the template that a user
// makes. What was propagated last, or deferred first, is remembered as a fingerprint of
// the template, on the binding or as long as there is none on the template, so that a
// restart activates nothing.
func deferred(a *applying) bool {
	if a.policy.GetSpec().ActivationPreference != policyv1alpha1.LazyActivation {
		return false
	}
	if a.exists {
		activated := a.binding.GetAnnotations()[workv1alpha2.TemplateFingerprintAnnotation]
		if activated == "" { // written by another control plane, which this one took over
			return !a.edited
		}
		return activated == a.fingerprint
	}
	if since := a.object.GetAnnotations()[claim.DeferredAnnotation]; since != "" {
		return since == a.fingerprint
	}
	// A template that the policy has claimed without deferring it lost its binding.
	return !claim.Names(a.object, a.policy) && !a.edited
}

// createdSince reports whether a template was created, or changed, after its policy was
// created. Times have whole seconds, so within one the resource versions count; an API
// server counts up one for all its objects. Where that of the policy's creation is not
// known, because it was there at the start, the two were created together.
func createdSince(object *unstructured.Unstructured, candidates []selection.Candidate, policy policyv1alpha1.Policy) bool {
	created, since := object.GetCreationTimestamp(), policy.GetCreationTimestamp()
	if !created.Equal(&since) {
		return since.Before(&created)
	}
	for _, c := range candidates {
		if c.Policy == policy {
			return c.Since == "" || newer(object.GetResourceVersion(), c.Since)
		}
	}
	return false
}

// newer reports whether a resource version comes after another; one that is no number does
// not.
func newer(version, than string) bool {
	a, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		return false
	}
	b, err := strconv.ParseUint(than, 10, 64)
	return err == nil && a > b
}
