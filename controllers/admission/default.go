// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"context"
	"encoding/json"
	"net/http"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/api/validation"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
)

// defaulter sets the defaults of one kind.
type defaulter struct {
	base.Deps
	kind *validation.Kind
}

// Handle sets the defaults of an object. What its schema refuses is refused here already,
// with one message for each mistake: the API server adds to its own messages that it did
// not check the other rules.
func (h *defaulter) Handle(_ context.Context, r admission.Request) admission.Response {
	object, err := read(r.Object.Raw)
	if err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if result := h.kind.Validate(object); len(result.Refused) > 0 {
		return refuse(r, result.Errors())
	}
	before, after, err := h.defaulted(r)
	if err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	return admission.PatchResponseFromRaw(before, after)
}

// defaulted returns the object without and with its defaults. Both are encoded in the same
// way, so that they differ in nothing else.
func (h *defaulter) defaulted(r admission.Request) (before, after []byte, err error) {
	object, err := h.kind.New()
	if err != nil {
		return nil, nil, err
	}
	if err := json.Unmarshal(r.Object.Raw, object); err != nil {
		return nil, nil, err
	}
	if before, err = json.Marshal(object); err != nil {
		return nil, nil, err
	}
	object.(metav1.Object).SetNamespace(r.Namespace)
	validation.SetDefaults(object, metav1.Time{Time: h.Clock.Now()})
	if r.Operation == admissionv1.Create {
		h.identify(object)
	}
	after, err = json.Marshal(object)
	return before, after, err
}

// identify gives a new propagation policy what its controller would write next: an id and
// the finalizer. A policy that is restored has its id already.
func (h *defaulter) identify(object runtime.Object) {
	policy, ok := object.(policyv1alpha1.Policy)
	if !ok {
		return
	}
	if scope.PolicyID(policy) == "" {
		base.SetLabel(policy, scope.PolicyIDLabel(policy), string(h.NewID()))
	}
	controllerutil.AddFinalizer(policy, scope.PolicyFinalizer(policy))
}
