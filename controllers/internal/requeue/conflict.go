// SPDX-License-Identifier: Apache-2.0

// Package requeue says when a controller looks at an object again for another reason
// than an event of the object: somebody else wrote first, or other scripts answer
// what the controller asks.
package requeue

import (
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Lag is how long it takes a cache to hold what was just written. Who was given an
// object from before waits for it that long, and looks again.
const Lag = 20 * time.Millisecond

// OnConflict returns what a reconciler returns: result and err as they are, but where
// somebody else wrote first, or made what was to be made, it is no error: the object
// is looked at again after Lag.
func OnConflict(result reconcile.Result, err error) (reconcile.Result, error) {
	if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
		return reconcile.Result{RequeueAfter: Lag}, nil
	}
	return result, err
}

// Requests makes a request for each key.
func Requests(keys []types.NamespacedName) []reconcile.Request {
	requests := make([]reconcile.Request, 0, len(keys))
	for _, key := range keys {
		requests = append(requests, reconcile.Request{NamespacedName: key})
	}
	return requests
}
