// SPDX-License-Identifier: Apache-2.0

package status

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
)

const (
	// leaseRenewal is the time between two renewals of the Lease in a member, if it is not
	// probed more rarely.
	leaseRenewal = 10 * time.Second
	// leaseRenewals is how many renewals may fail before others take over.
	leaseRenewals = 4
	// maxLeaseDuration bounds what is believed of another holder's duration.
	maxLeaseDuration = 10 * time.Minute
)

// leaseDuration returns for how long a Lease that is renewed at each probe must be seen
// unrenewed by others before they take it.
func leaseDuration(period time.Duration) time.Duration {
	return leaseRenewals * max(period, leaseRenewal)
}

// lease is what the Lease of an owner in a member says; the zero value is that there is none.
type lease struct {
	// version differs after each write; empty where there is no Lease.
	version string
	// holder names the manager that renewed it last; empty if nobody has it.
	holder string
	// acquired is when the term of the holder began, elected when its election was renewed last
	// before it renewed this; both are by the clock of the holder, and elected is zero where it
	// was not elected.
	acquired, elected time.Time
	// duration is for how long it must be seen unrenewed before it is free.
	duration time.Duration
}

// readLease returns what a Lease says; nil says nothing.
func readLease(l *coordinationv1.Lease) lease {
	if l == nil {
		return lease{}
	}
	read := lease{version: string(l.UID) + "/" + l.ResourceVersion, duration: leaseRenewals * leaseRenewal}
	if l.Spec.HolderIdentity != nil {
		read.holder = *l.Spec.HolderIdentity
	}
	if l.Spec.AcquireTime != nil {
		read.acquired = l.Spec.AcquireTime.Time
	}
	if l.Spec.LeaseDurationSeconds != nil && *l.Spec.LeaseDurationSeconds > 0 {
		read.duration = min(time.Duration(*l.Spec.LeaseDurationSeconds)*time.Second, maxLeaseDuration)
	}
	if at, err := time.Parse(time.RFC3339Nano, l.Annotations[clusterv1alpha1.ElectionRenewedAnnotation]); err == nil {
		read.elected = at
	}
	return read
}

// writeLease has a Lease say that a manager holds it now.
func writeLease(l *coordinationv1.Lease, owner string, own base.Term, now time.Time, duration time.Duration) {
	l.Namespace, l.Name = metav1.NamespaceSystem, names.OwnerLease(owner)
	base.SetAnnotation(l, workv1alpha2.OwnerAnnotation, owner)
	if own.Renewed.IsZero() {
		delete(l.Annotations, clusterv1alpha1.ElectionRenewedAnnotation)
	} else {
		base.SetAnnotation(l, clusterv1alpha1.ElectionRenewedAnnotation, own.Renewed.UTC().Format(metav1.RFC3339Micro))
	}
	if l.Spec.HolderIdentity == nil || *l.Spec.HolderIdentity != own.Holder {
		l.Spec.HolderIdentity = new(own.Holder)
		l.Spec.AcquireTime = new(metav1.NewMicroTime(own.Acquired))
	}
	l.Spec.RenewTime = new(metav1.NewMicroTime(now))
	l.Spec.LeaseDurationSeconds = new(int32(duration / time.Second))
}

// sight is a Lease as it was read again and again. The zero value is that it was never read.
type sight struct {
	lease
	// since is when this version was first read, by the clock of this process.
	since time.Time
	// renewed is whether another version was read before this one: its holder lives, or did
	// since this process began to look.
	renewed bool
}

// look returns the sight after a Lease was read.
func (s sight) look(l lease, now time.Time) sight {
	switch {
	case l.version == "":
		return sight{}
	case l.version == s.version:
		return s
	}
	return sight{lease: l, since: now, renewed: s.version != ""}
}

// verdict is what a Lease means for a manager.
type verdict string

const (
	// free is that nobody else lives who holds it: it may be taken.
	free verdict = "free"
	// own is that this manager holds it.
	own verdict = "own"
	// awaited is that its holder may live.
	awaited verdict = "awaited"
	// foreign is that its holder lives, and is not of this control plane.
	foreign verdict = "foreign"
)

// judge returns what a Lease means for the manager of a term, which followed the former ones: the
// one right before it may have ended before it took the Lease. Times of two clocks are not compared.
func judge(s sight, term base.Term, formers []base.Term, now time.Time) verdict {
	switch {
	case s.version == "", s.holder == "":
		return free
	case s.holder == term.Holder:
		return own
	case slices.ContainsFunc(formers, func(f base.Term) bool { return ended(s.lease, f) }), now.Sub(s.since) >= s.duration:
		return free
	case s.renewed:
		return foreign
	}
	return awaited
}

// ended reports whether a former term of the control plane is that by which the holder of a Lease
// took it, so that the holder had given up or lost its lead before the next term began. That takes more than the name: a control plane
// restored from a snapshot knows the name of the manager that leads beside it. But that one has
// renewed its election since the snapshot, and noted so in the Lease, which the store of
// the copy cannot know.
func ended(l lease, former base.Term) bool {
	return !l.elected.IsZero() && (former.Holder == l.holder || former.Holder == "") &&
		sameInstant(former.Acquired, l.acquired) && !truncated(former.Renewed).Before(truncated(l.elected))
}

// truncated returns a time as an API server keeps it.
func truncated(t time.Time) time.Time { return t.Truncate(time.Microsecond) }

func sameInstant(a, b time.Time) bool { return !a.IsZero() && truncated(a).Equal(truncated(b)) }

// refused reports whether a member has answered that it does not give or take a Lease, which
// asking again would not change: by its rights, since it does not serve Leases, or by a policy.
func refused(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return false
	}
	switch code := status.Status().Code; code {
	case http.StatusUnauthorized, http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return false
	default:
		return code >= http.StatusBadRequest && code < http.StatusInternalServerError
	}
}

// conflictOf returns the condition for a verdict, or nil for one by which this manager writes.
// The messages stay the same as long as the holder does.
func conflictOf(v verdict, s sight, owner string) *metav1.Condition {
	where := fmt.Sprintf("%s/%s", metav1.NamespaceSystem, names.OwnerLease(owner))
	switch v {
	case foreign:
		return &metav1.Condition{
			Status: metav1.ConditionTrue, Reason: clusterv1alpha1.ReasonOtherControlPlane,
			Message: fmt.Sprintf("another control plane of the owner %s writes to this cluster: its manager %s renews the Lease %s there; "+
				"nothing is written to it by this one, until the Lease was not renewed for %s. Stop the one that is not to write there, or start it with another --cluster-owner",
				owner, s.holder, where, s.duration),
		}
	case awaited:
		return &metav1.Condition{
			Status: metav1.ConditionUnknown, Reason: clusterv1alpha1.ReasonAwaitingLease,
			Message: fmt.Sprintf("the manager %s held the Lease %s in this cluster, and this control plane does not know that it has ended; "+
				"nothing is written to the cluster unless the Lease is not renewed for %s", s.holder, where, s.duration),
		}
	}
	return nil
}

// unavailable returns the condition where the Lease cannot be read or written.
func unavailable(owner, cause string) *metav1.Condition {
	return &metav1.Condition{
		Status: metav1.ConditionUnknown, Reason: clusterv1alpha1.ReasonLeaseUnavailable,
		Message: fmt.Sprintf("another control plane of the owner %s would not be noticed here, where the Lease %s/%s cannot be kept: %s",
			owner, metav1.NamespaceSystem, names.OwnerLease(owner), cause),
	}
}
