// SPDX-License-Identifier: Apache-2.0

// Package requeue decides when a controller reconciles an object again without an event
// of the object: a conflict is retried soon and silently, and many objects at once are
// spread over time.
package requeue

import (
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Lag is how long a cache takes to have what was just written. A controller that read an
// older object reconciles again after that time.
const Lag = 20 * time.Millisecond

// OnConflict returns result and err as they are, unless err is a conflict or reports
// that an object exists already: then it returns no error, and the object is
// reconciled again after Lag.
func OnConflict(result reconcile.Result, err error) (reconcile.Result, error) {
	if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
		return reconcile.Result{RequeueAfter: Lag}, nil
	}
	return result, err
}

// Requests returns a request for each key.
func Requests(keys []types.NamespacedName) []reconcile.Request {
	requests := make([]reconcile.Request, 0, len(keys))
	for _, key := range keys {
		requests = append(requests, reconcile.Request{NamespacedName: key})
	}
	return requests
}
