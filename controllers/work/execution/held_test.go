// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"errors"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/controllers/internal/member"
)

func TestHoldersOf(t *testing.T) {
	for name, tc := range map[string]struct {
		object map[string]any
		want   string
	}{
		"nothing": {map[string]any{}, "it has no finalizer, so what runs it has not ended it"},
		"finalizers": {
			map[string]any{"metadata": map[string]any{"finalizers": []any{"b", "a"}}},
			"its finalizers are a, b, which their owners have to remove there",
		},
		"a namespace": {
			map[string]any{
				"spec": map[string]any{"finalizers": []any{"kubernetes"}},
				"status": map[string]any{"conditions": []any{
					map[string]any{"status": "True", "message": "Some resources are remaining: gadgets. has 2 resource instances"},
					map[string]any{"status": "False", "message": "All legacy kube types successfully parsed"},
				}},
			},
			"its finalizers are kubernetes; Some resources are remaining: gadgets. has 2 resource instances",
		},
	} {
		if got := holdersOf(&unstructured.Unstructured{Object: tc.object}); got != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}

func TestCleanedUp(t *testing.T) {
	held := heldError{object: "ConfigMap a/m", cluster: "c", by: "its finalizers are a"}
	for name, tc := range map[string]struct {
		err    error
		reason string
	}{
		"refused":            {apierrors.NewForbidden(schema.GroupResource{}, "m", errors.New("denied")), "CleanupFailed"},
		"held":               {errors.Join(held, nil), "ObjectHeld"},
		"just being deleted": {fmt.Errorf("%w: m", errDeleting), ""},
		"changed meanwhile":  {apierrors.NewConflict(schema.GroupResource{}, "m", nil), ""},
		"cluster away":       {member.ErrUnavailable, ""},
		"not ready":          {errClusterNotReady, ""},
	} {
		c, worth := cleanedUp(tc.err, 3)
		if worth != (tc.reason != "") || worth && c.Reason != tc.reason {
			t.Errorf("%s: got %t %s, want %q", name, worth, c.Reason, tc.reason)
		}
		if worth && (c.Status != "False" || c.Message != tc.err.Error() || c.ObservedGeneration != 3) {
			t.Errorf("%s: got %+v", name, c)
		}
	}
}
