// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"errors"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestRefusal(t *testing.T) {
	jobs := schema.GroupResource{Group: "batch", Resource: "jobs"}
	cases := map[string]struct {
		reason               string
		err                  error
		refused, unsupported bool
	}{
		"Invalid":     {reason: "an object that is not valid", err: apierrors.NewInvalid(schema.GroupKind{Kind: "Job"}, "one", nil), refused: true},
		"Forbidden":   {reason: "one that admission, a quota or a role denies", err: apierrors.NewForbidden(jobs, "one", errors.New("denied")), refused: true},
		"BadRequest":  {reason: "one that cannot be read", err: apierrors.NewBadRequest("unknown field"), refused: true},
		"TooLarge":    {reason: "one that is too large", err: apierrors.NewRequestEntityTooLargeError("limit is 3145728"), refused: true},
		"Wrapped":     {reason: "also inside of another error", err: fmt.Errorf("create: %w", apierrors.NewBadRequest("unknown field")), refused: true},
		"Credentials": {reason: "a token that expired is not about the object", err: apierrors.NewUnauthorized("expired")},
		"Busy":        {reason: "nor is a busy server", err: apierrors.NewTooManyRequests("later", 1)},
		"Broken":      {reason: "or one that fails, such as its webhook", err: apierrors.NewInternalError(errors.New("failed calling webhook"))},
		"Conflict":    {reason: "somebody else was writing", err: apierrors.NewConflict(jobs, "one", errors.New("changed"))},
		"NoAnswer":    {reason: "no answer is no refusal", err: errors.New("connection refused")},
		"DryRun": {
			reason: "a webhook that cannot be tried answers nothing about the object", refused: true, unsupported: true,
			err: apierrors.NewBadRequest(`admission webhook "v1.example.com" does not support dry run`),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if refused, unsupported := refusal(tc.err), dryRunUnsupported(tc.err); refused != tc.refused || unsupported != tc.unsupported {
				t.Errorf("%s: refused %t, unsupported %t; want %t, %t", tc.reason, refused, unsupported, tc.refused, tc.unsupported)
			}
		})
	}
}
