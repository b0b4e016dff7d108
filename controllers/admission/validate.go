// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/api/validation"
	"github.com/dragoman-io/dragoman/controllers/decide/schema/review"
)

// validator validates objects of one kind.
type validator struct {
	kind *validation.Kind
	// more returns what is wrong beyond the object itself, and warnings. It is not called
	// if only metadata changed.
	more func(ctx context.Context, r admission.Request, object runtime.Object) (field.ErrorList, []string)
	// warn returns what is probably not meant.
	warn func(ctx context.Context, object runtime.Object) []review.Warning
}

// Handle validates an object.
func (h *validator) Handle(ctx context.Context, r admission.Request) admission.Response {
	object, err := read(r.Object.Raw)
	if err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	result := h.kind.Validate(object)
	errs := result.Errors()
	if result.Object == nil {
		return refuse(r, errs)
	}
	errs = append(errs, review.Validate(result.Object)...)
	var warnings []string
	same := false
	if r.Operation == admissionv1.Update {
		old, err := read(r.OldObject.Raw)
		if err != nil {
			return admission.Errored(http.StatusBadRequest, err)
		}
		before := h.kind.Validate(old)
		errs, warnings = tolerate(errs, append(before.Errors(), review.Validate(before.Object)...))
		errs = append(errs, changed(before.Object, result.Object)...)
		same = equality.Semantic.DeepEqual(old.Object["spec"], object.Object["spec"])
	}
	if len(errs) == 0 && !same {
		var more []string
		errs, more = h.more(ctx, r, result.Object)
		warnings = append(warnings, more...)
	}
	if len(errs) > 0 {
		return refuse(r, errs).WithWarnings(warnings...)
	}
	for _, w := range h.warn(ctx, result.Object) {
		warnings = append(warnings, w.String())
	}
	return admission.Allowed("").WithWarnings(warnings...)
}

// tolerate divides what is wrong with an object by whether it was wrong before. What was
// is only warned about, so that an object that was stored under other rules can be
// changed, for example labeled.
func tolerate(errs, before field.ErrorList) (refused field.ErrorList, warnings []string) {
	known := map[string]bool{}
	for _, e := range before {
		known[e.Error()] = true
	}
	for _, e := range errs {
		if known[e.Error()] {
			warnings = append(warnings, e.Error())
			continue
		}
		refused = append(refused, e)
	}
	return refused, warnings
}

// changed returns what was changed that never changes.
func changed(before, after runtime.Object) field.ErrorList {
	switch old := before.(type) {
	case *policyv1alpha1.PropagationPolicy:
		return after.(*policyv1alpha1.PropagationPolicy).ValidateChange(old)
	case *policyv1alpha1.ClusterPropagationPolicy:
		return after.(*policyv1alpha1.ClusterPropagationPolicy).ValidateChange(old)
	}
	return nil
}

// read decodes an object as it is on the wire.
func read(raw []byte) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(raw); err != nil {
		return nil, fmt.Errorf("decode the object: %w", err)
	}
	return object, nil
}

// refuse answers as the API server answers for what a schema refuses, so that clients show
// both in the same way.
func refuse(r admission.Request, errs field.ErrorList) admission.Response {
	name := r.Name
	if name == "" {
		var object struct {
			Metadata struct{ Name, GenerateName string }
		}
		_ = json.Unmarshal(r.Object.Raw, &object)
		if name = object.Metadata.Name; name == "" {
			name = object.Metadata.GenerateName
		}
	}
	status := apierrors.NewInvalid(schema.GroupKind{Group: r.Kind.Group, Kind: r.Kind.Kind}, name, errs).Status()
	return admission.Response{AdmissionResponse: admissionv1.AdmissionResponse{Allowed: false, Result: &status}}
}
