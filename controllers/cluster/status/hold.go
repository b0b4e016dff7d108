// SPDX-License-Identifier: Apache-2.0

package status

import (
	"context"
	"fmt"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
)

// leases are the Leases of this control plane in its members: one that it holds it renews, and
// while another control plane of the same owner holds it nothing is written to the member. It
// is safe for many goroutines, of which one asks about each cluster.
type leases struct {
	// owner is empty where nothing is held.
	owner    string
	election base.Election
	clock    clock.PassiveClock
	// duration is for how long others must see a Lease unrenewed, timeout for how long a member
	// may take to answer.
	duration, timeout time.Duration

	mu  sync.Mutex
	all map[string]*holding
}

// holding is what is known of the Lease in one cluster.
type holding struct {
	// mu guards what others than who holds it read.
	mu sync.Mutex
	// confirmed is when this process held the Lease for certain, for as long as it lasts from
	// then on.
	confirmed time.Time
	// uid is that of the Lease while this process holds it; empty otherwise.
	uid types.UID

	// of is the connection by which the Lease was last read or written, as it is in found; nil
	// for found means that there was none.
	of    *member.Member
	found *coordinationv1.Lease
	sight sight
	// verdict is what it meant; empty before it was known.
	verdict verdict
	// renewed is when it was last written by this process.
	renewed time.Time
	// failing is since when it can be neither read nor written; zero while it can.
	failing time.Time
}

// outcome is what holding the Lease of a member came to: the verdict, or that it cannot be kept
// there, or an error after which nothing is known yet.
type outcome struct {
	verdict     verdict
	sight       sight
	unavailable error
	err         error
}

// admit has others get the connection to a member, unless another control plane of the same
// owner writes to it, or may. It sets the condition OwnerConflict, and reports whether they have the
// connection.
func (c *Controller) admit(ctx context.Context, m *member.Member, cluster *clusterv1alpha1.Cluster, status *clusterv1alpha1.ClusterStatus) bool {
	if c.Owner == "" {
		c.Members.Admit(m)
		return true
	}
	o := c.leases.hold(ctx, m)
	switch {
	case o.err != nil:
		ctrl.LoggerFrom(ctx).V(1).Info("did not renew the lease in the cluster", "reason", o.err.Error())
		_, admitted := c.Members.Get(m.Name)
		return admitted
	case o.unavailable != nil && cluster.OwnerConflict(): // what cannot be read ends no conflict
		return false
	case o.unavailable != nil:
		setOwnerConflict(status, unavailable(c.Owner, member.Cause(o.unavailable)), cluster.Generation)
		m.GuardWrites(nil)
	case o.verdict != own:
		conflict := conflictOf(o.verdict, o.sight, c.Owner)
		if o.verdict == awaited && cluster.OwnerConflict() {
			conflict = conflictOf(foreign, o.sight, c.Owner) // so it was before this process looked
		}
		setOwnerConflict(status, conflict, cluster.Generation)
		if _, admitted := c.Members.Get(m.Name); admitted {
			c.Members.Disconnect(m.Name)
		}
		return false
	default:
		setOwnerConflict(status, nil, cluster.Generation)
		m.GuardWrites(c.leases.guard(m.Name))
	}
	c.Members.Admit(m)
	return true
}

// setOwnerConflict sets the condition OwnerConflict, and removes it for nil.
func setOwnerConflict(status *clusterv1alpha1.ClusterStatus, conflict *metav1.Condition, generation int64) {
	if conflict == nil {
		meta.RemoveStatusCondition(&status.Conditions, clusterv1alpha1.ClusterConditionOwnerConflict)
		return
	}
	conflict.Type, conflict.ObservedGeneration = clusterv1alpha1.ClusterConditionOwnerConflict, generation
	meta.SetStatusCondition(&status.Conditions, *conflict)
}

// holding returns what is known of the Lease in a cluster.
func (l *leases) holding(cluster string) *holding {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = map[string]*holding{}
	}
	if l.all[cluster] == nil {
		l.all[cluster] = &holding{}
	}
	return l.all[cluster]
}

// hold takes or renews the Lease in a member, if nobody else lives who holds it. A Lease that was
// renewed within leaseRenewal by this connection is not asked for; one to renew takes one
// request, unless others wrote it.
func (l *leases) hold(ctx context.Context, m *member.Member) outcome {
	h, now := l.holding(m.Name), l.clock.Now()
	if h.of == m && h.verdict == own && sinceOn(l.clock, h.renewed) < leaseRenewal {
		return outcome{verdict: own, sight: h.sight}
	}
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	o := l.try(ctx, m, h, now)
	switch {
	case o.err == nil:
		h.of, h.verdict, h.failing = m, o.verdict, time.Time{}
	case h.failing.IsZero():
		h.failing = now
	case h.verdict == "" && now.Sub(h.failing) >= l.duration: // others may have what was once held
		o = outcome{unavailable: o.err}
	}
	if o.unavailable != nil {
		h.found = nil
	}
	if h.verdict != own {
		h.confirm(time.Time{}, "")
	}
	return o
}

// try takes, renews or reads the Lease.
func (l *leases) try(ctx context.Context, m *member.Member, h *holding, now time.Time) outcome {
	if h.of == m && h.verdict == own && h.found != nil {
		if err := l.write(ctx, m, h, now); err == nil {
			return outcome{verdict: own, sight: h.sight}
		}
	}
	for range 3 { // who writes at the same time does so once
		if err := l.read(ctx, m, h, now); err != nil {
			return failed(err)
		}
		v := judge(h.sight, l.election.Term(), l.election.Formers(), now)
		if v != own && v != free {
			return outcome{verdict: v, sight: h.sight}
		}
		err := l.write(ctx, m, h, now)
		switch {
		case err == nil:
			return outcome{verdict: own, sight: h.sight}
		case apierrors.IsConflict(err), apierrors.IsAlreadyExists(err):
			continue
		case v == own && !refused(err):
			h.confirm(now, h.found.UID) // nobody has taken it, as was read just now
			return outcome{verdict: own, sight: h.sight}
		}
		return failed(err)
	}
	return outcome{err: fmt.Errorf("others write the lease in cluster %s all the time", m.Name)}
}

// failed returns the outcome of a request that failed.
func failed(err error) outcome {
	if refused(err) {
		return outcome{unavailable: err}
	}
	return outcome{err: err}
}

// read reads the Lease.
func (l *leases) read(ctx context.Context, m *member.Member, h *holding, now time.Time) error {
	found, err := m.Leases.Leases(metav1.NamespaceSystem).Get(ctx, names.OwnerLease(l.owner), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		found, err = nil, nil
	}
	if err != nil {
		return fmt.Errorf("read the lease in cluster %s: %w", m.Name, err)
	}
	h.found, h.sight = found, h.sight.look(readLease(found), now)
	return nil
}

// write takes or renews the Lease as it was found.
func (l *leases) write(ctx context.Context, m *member.Member, h *holding, now time.Time) error {
	written := &coordinationv1.Lease{}
	if h.found != nil {
		written = h.found.DeepCopy()
	}
	writeLease(written, l.owner, l.election.Term(), now, l.duration)
	client, err := m.Leases.Leases(metav1.NamespaceSystem), error(nil)
	if h.found == nil {
		written, err = client.Create(ctx, written, metav1.CreateOptions{})
	} else {
		written, err = client.Update(ctx, written, metav1.UpdateOptions{})
	}
	if err != nil {
		return fmt.Errorf("renew the lease in cluster %s: %w", m.Name, err)
	}
	h.found, h.sight, h.renewed = written, h.sight.look(readLease(written), now), now
	h.confirm(now, written.UID)
	return nil
}

// confirm records that this process held the Lease at a time, and its UID.
func (h *holding) confirm(at time.Time, uid types.UID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.confirmed, h.uid = at, uid
}

// held returns the UID of the Lease while this process holds it.
func (h *holding) held() types.UID {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.uid
}

// guard returns what decides whether a request may write to a member: not after others may have
// taken the Lease, since it could not be renewed or this process stood still.
func (l *leases) guard(cluster string) func() error {
	h := l.holding(cluster)
	return func() error {
		h.mu.Lock()
		confirmed := h.confirmed
		h.mu.Unlock()
		if confirmed.IsZero() {
			return fmt.Errorf("nothing is written to cluster %s: this manager does not hold the lease of the owner %s there", cluster, l.owner)
		}
		if since := sinceOn(l.clock, confirmed); since >= l.duration {
			return fmt.Errorf("nothing is written to cluster %s: the lease there was not renewed for %s, and another control plane of the owner %s may have taken it",
				cluster, since.Round(time.Second), l.owner)
		}
		return nil
	}
}

// sinceOn returns how long ago a time was. A clock that stops with the machine is not enough, and
// one that is set neither.
func sinceOn(c clock.PassiveClock, at time.Time) time.Duration {
	now := c.Now()
	return max(now.Sub(at), now.Round(0).Sub(at.Round(0)))
}

// undecided reports whether it is not known yet who holds the Lease in a cluster, though it was
// asked for.
func (l *leases) undecided(cluster string) bool {
	return l.owner != "" && !l.holding(cluster).failing.IsZero()
}

// skip records that a cluster was not asked for its Lease.
func (l *leases) skip(cluster string) {
	if l.owner != "" {
		l.holding(cluster).failing = time.Time{}
	}
}

// releaseTimeout is how long a cluster that has left may take to give up its Lease.
const releaseTimeout = 3 * time.Second

// release deletes the Lease in a cluster that has left, if this process holds it and the cluster
// answers, and forgets it. One that has another name here keeps it.
func (l *leases) release(ctx context.Context, cluster string) {
	l.mu.Lock()
	h := l.all[cluster]
	delete(l.all, cluster)
	held := h != nil && h.held() != ""
	for _, other := range l.all {
		held = held && other.held() != h.held()
	}
	l.mu.Unlock()
	if !held || h.of.Unavailable() != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, releaseTimeout)
	defer cancel()
	err := h.of.Leases.Leases(metav1.NamespaceSystem).Delete(ctx, h.found.Name, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &h.found.UID, ResourceVersion: &h.found.ResourceVersion},
	})
	if err != nil {
		ctrl.LoggerFrom(ctx).V(1).Info("did not delete the lease in the cluster", "reason", err.Error())
	}
}
