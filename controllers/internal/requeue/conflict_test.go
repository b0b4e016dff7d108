// SPDX-License-Identifier: Apache-2.0

package requeue_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

func TestOnConflict(t *testing.T) {
	bindings := schema.GroupResource{Group: "work.karmada.io", Resource: "resourcebindings"}
	conflict, other := apierrors.NewConflict(bindings, "b", nil), errors.New("other")
	later := reconcile.Result{RequeueAfter: time.Minute}
	cases := map[string]struct {
		reason string
		err    error
		want   reconcile.Result
		fails  error
	}{
		"Fine":     {reason: "nothing failed", want: later},
		"Conflict": {reason: "somebody else wrote first", err: fmt.Errorf("write: %w", conflict), want: reconcile.Result{RequeueAfter: requeue.Lag}},
		"Exists":   {reason: "somebody else made it first", err: apierrors.NewAlreadyExists(bindings, "b"), want: reconcile.Result{RequeueAfter: requeue.Lag}},
		"Other":    {reason: "it failed", err: other, want: later, fails: other},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := requeue.OnConflict(later, tc.err)
			if got != tc.want || !errors.Is(err, tc.fails) || (tc.fails == nil && err != nil) {
				t.Errorf("%s: got %v, error %v; want %v, error %v", tc.reason, got, err, tc.want, tc.fails)
			}
		})
	}
}
