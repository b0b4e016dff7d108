// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// wantErrors compares what is wrong, as "type of error, place", and asks for a
// sentence with each.
func wantErrors(t *testing.T, reason string, errs field.ErrorList, want ...string) {
	t.Helper()
	var got []string
	for _, err := range errs {
		got = append(got, string(err.Type)+" "+err.Field)
		if err.Detail == "" && err.Type != field.ErrorTypeDuplicate {
			t.Errorf("%s: the error says nothing about what to do: %v", reason, err)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s\n%v", reason, diff, errs.ToAggregate())
	}
}
