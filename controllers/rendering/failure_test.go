// SPDX-License-Identifier: Apache-2.0

package rendering

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/override"
	"github.com/dragoman-io/dragoman/engine/script"
)

func TestFailureOf(t *testing.T) {
	works := schema.GroupResource{Group: "work.karmada.io", Resource: "works"}
	terminating := apierrors.NewForbidden(works, "w", errors.New("it is being terminated"))
	terminating.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
	unserved := apierrors.NewGenericServerResponse(http.StatusNotFound, "post", works, "", "404 page not found", 0, true)
	cases := map[string]struct {
		reason string
		err    error
		want   string
		retry  bool
	}{
		"Override":    {"the policies, the template and the clusters are watched", &override.Error{Policy: "OverridePolicy s/p", Err: errors.New("no such path")}, "OverrideFailed", false},
		"Script":      {"the same script answers the same", script.Errorf(script.User, "no"), "RenderFailed", false},
		"Slow":        {"a script may be faster the next time", script.Errorf(script.Deadline, "too slow"), "RenderFailed", true},
		"Terminating": {"the namespace is watched", terminating, "NamespaceUnavailable", false},
		"Missing":     {"also one that is not there yet", apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "karmada-es-a"), "NamespaceUnavailable", false},
		"Unserved":    {"nothing reports that the CRD of Works is back", unserved, "RenderFailed", true},
		"Gone":        {"or why a Work was not found", apierrors.NewNotFound(works, "w"), "RenderFailed", true},
		"Taken":       {"nothing reports that the other Work is gone", fmt.Errorf("%w: x", errTaken), "RenderFailed", true},
		"Refused":     {"nothing reports that a webhook accepts it", apierrors.NewForbidden(works, "w", errors.New("no")), "RenderFailed", true},
		"Invalid":     {"a Work that is no Work", apierrors.NewInvalid(schema.GroupKind{Kind: "Work"}, "w", nil), "RenderFailed", true},
		"Busy":        {"nobody is told that the API server is busy", apierrors.NewTooManyRequests("later", 1), "", true},
		"Unreachable": {"or that it is away", errors.New("connection refused"), "", true},
		"NotAdmitted": {"the binding is watched", errNotAdmitted, "NotAdmitted", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := fmt.Errorf("render the work for cluster a: %w", tc.err)
			if diff := cmp.Diff(failure{tc.want, err, tc.retry}, failureOf(err), cmp.AllowUnexported(failure{}), cmpopts.EquateErrors()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestJoined(t *testing.T) {
	lasting, passing := failure{"X", errors.New("one"), false}, failure{"", errors.New("two"), true}
	if err := joined(nil); err != nil {
		t.Errorf("nothing failed: %v", err)
	}
	if err := joined([]failure{lasting}); !errors.Is(err, reconcile.TerminalError(nil)) || !errors.Is(err, lasting.err) {
		t.Errorf("what an event reports is not retried: %v", err)
	}
	if err := joined([]failure{lasting, passing}); errors.Is(err, reconcile.TerminalError(nil)) || !errors.Is(err, passing.err) {
		t.Errorf("one that no event reports is: %v", err)
	}
}

func TestWithRendered(t *testing.T) {
	scheduled := metav1.Condition{Type: workv1alpha2.Scheduled, Status: metav1.ConditionTrue, Reason: "Success"}
	failed := func(generation int64, reason, message string) metav1.Condition {
		return metav1.Condition{Type: workv1alpha2.Rendered, Status: metav1.ConditionFalse, Reason: reason, Message: message, ObservedGeneration: generation}
	}
	one, two := failure{"RenderFailed", errors.New("one"), false}, failure{"OverrideFailed", errors.New("two"), false}
	cases := map[string]struct {
		reason   string
		before   []metav1.Condition
		failures []failure
		want     []metav1.Condition
	}{
		"Fine":    {reason: "a binding of which all was rendered has no such condition", before: []metav1.Condition{scheduled}, want: []metav1.Condition{scheduled}},
		"Failed":  {reason: "each failure is in the message", before: []metav1.Condition{scheduled}, failures: []failure{one, two}, want: []metav1.Condition{scheduled, failed(3, "RenderFailed", "one; two")}},
		"Mended":  {reason: "it goes with the failure", before: []metav1.Condition{failed(2, "RenderFailed", "one"), scheduled}, want: []metav1.Condition{scheduled}},
		"Passing": {reason: "what the next try may mend is not reported", failures: []failure{{"", errors.New("busy"), true}}, want: []metav1.Condition{}},
		"Long":    {reason: "the message is bounded", failures: []failure{{"RenderFailed", errors.New(strings.Repeat("x", 10_000)), true}}, want: []metav1.Condition{failed(3, "RenderFailed", strings.Repeat("x", maxMessage))}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := withRendered(tc.before, tc.failures, 3)
			if diff := cmp.Diff(tc.want, got, cmpopts.IgnoreFields(metav1.Condition{}, "LastTransitionTime")); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
