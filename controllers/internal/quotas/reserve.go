// SPDX-License-Identifier: Apache-2.0

package quotas

import (
	"errors"
	"net/http"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// unknownFor is how long a write of which nobody knows whether it was made stays reserved: the
// cache has it by then, if it was.
const unknownFor = time.Minute

// Reservation is what an admitted write adds, until the cache shows it.
type Reservation struct {
	ledger   *Ledger
	consumer string
	key      types.NamespacedName
	uid      types.UID
	// from is the resource version that is changed.
	from  string
	after corev1.ResourceList
	// generation is that of the written binding; 0 while it is being written.
	generation int64
	// until is when a write with an unknown outcome ends; zero is never.
	until time.Time
}

// reserve reserves what a request uses after its write. One of an earlier write of the same
// controller whose outcome is unknown ends if another version is changed now, which shows it.
// The same version is one that the cache still has: then the earlier write may have been made.
func (l *Ledger) reserve(r Request, after corev1.ResourceList) *Reservation {
	key := r.key()
	s := l.space(key.binding.Namespace)
	before := len(s.reserved[key.binding])
	s.reserved[key.binding] = slices.DeleteFunc(s.reserved[key.binding], func(old *Reservation) bool {
		return old.consumer == r.Consumer && !old.until.IsZero() && old.from != r.Binding.GetResourceVersion()
	})
	if len(s.reserved[key.binding]) < before {
		l.notice(key.binding.Namespace)
	}
	reserved := &Reservation{ledger: l, consumer: r.Consumer, key: key.binding, uid: r.Binding.GetUID(), from: r.Binding.GetResourceVersion(), after: after}
	s.reserved[key.binding] = append(s.reserved[key.binding], reserved)
	l.leave(key)
	return reserved
}

// Done ends a reservation with the outcome of the write: the binding as it was written, or the
// error. It does nothing for nil.
func (r *Reservation) Done(written workv1alpha2.Binding, err error) {
	if r == nil {
		return
	}
	l := r.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err == nil:
		r.generation = written.GetGeneration()
	case refused(err):
		r.end()
	default:
		r.until = l.clock.Now().Add(unknownFor)
		l.later(unknownFor, func() { l.free(r.key.Namespace) })
	}
}

// Drop ends a reservation whose write is not made. It does nothing for nil.
func (r *Reservation) Drop() {
	if r == nil {
		return
	}
	r.ledger.mu.Lock()
	defer r.ledger.mu.Unlock()
	r.end()
}

// end gives back what is reserved. The ledger must be locked.
func (r *Reservation) end() {
	s := r.ledger.space(r.key.Namespace)
	s.reserved[r.key] = slices.DeleteFunc(s.reserved[r.key], func(o *Reservation) bool { return o == r })
	r.ledger.notice(r.key.Namespace)
}

// shownBy reports whether a version of the binding shows the write, or cannot any more.
func (r *Reservation) shownBy(b client.Object, now time.Time) bool {
	switch {
	case b.GetUID() != r.uid:
		return true
	case !r.until.IsZero():
		return !r.until.After(now)
	}
	return r.generation > 0 && b.GetGeneration() >= r.generation
}

// refused reports whether an error is the API server's, so that the write was not made: any
// answer but those about time, and those about a failure of its own.
func refused(err error) bool {
	var answer apierrors.APIStatus
	if !errors.As(err, &answer) {
		return false
	}
	code := answer.Status().Code
	return code >= http.StatusBadRequest && code < http.StatusInternalServerError && code != http.StatusRequestTimeout
}
