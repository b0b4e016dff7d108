// SPDX-License-Identifier: Apache-2.0

package member

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/transport"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
)

// errClosed is the error of a registry that was closed.
var errClosed = errors.New("the connections to the members have ended")

// Registry holds the connections to all members. It is safe for many goroutines.
type Registry struct {
	// Timeout is how long a request to a member may last, other than a watch; 32 s
	// by default. It must not be changed once a member is connected.
	Timeout time.Duration
	// QPS and Burst limit the requests to each member; DefaultQPS and DefaultBurst by
	// default. They must not be changed once a member is connected.
	QPS   float32
	Burst int
	// Wrap wraps the transport of requests other than watches, and what it refuses is not held
	// against a member; nil does not. It must not be changed once a member is connected.
	Wrap transport.WrapperFunc

	hub client.Reader

	mu      sync.RWMutex
	members map[string]*Member
	closed  bool
	// listeners are called for each event, connected for each new connection, recovered for
	// each cluster that answers again, arrived for Works. All are only added to.
	listeners []func(Event)
	connected []func(cluster string)
	recovered []func(cluster string)
	arrived   []func(work types.NamespacedName)
}

// The limit of the requests to one cluster that is not set otherwise. It is above what a
// control plane writes to one of two members at its own default limit.
const (
	DefaultQPS   = 100
	DefaultBurst = 200
)

// NewRegistry returns a registry that reads credentials from hub. The connections
// last until they are disconnected, or Close is called.
func NewRegistry(hub client.Reader) *Registry {
	return &Registry{Timeout: 32 * time.Second, QPS: DefaultQPS, Burst: DefaultBurst, hub: hub, members: map[string]*Member{}}
}

// Close ends all connections and allows no new ones.
func (r *Registry) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for cluster, m := range r.members {
		m.stop()
		delete(r.members, cluster)
	}
}

// Start waits for the end of ctx and closes the registry: a manager that it was added
// to ends the connections with itself.
func (r *Registry) Start(ctx context.Context) error {
	<-ctx.Done()
	r.Close()
	return nil
}

// NeedLeaderElection is false: the connections are those of a process.
func (r *Registry) NeedLeaderElection() bool { return false }

// Listen registers f to be called for each change of a managed object in any member. f
// must not block.
func (r *Registry) Listen(f func(Event)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.listeners = append(r.listeners, f)
}

// ListenConnected registers f to be called with the name of each cluster whose connection is
// admitted, the first or a new one. Nothing is watched on a new connection, so that
// what was watched on the one before must be watched again. f must not wait for a member.
func (r *Registry) ListenConnected(f func(cluster string)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.connected = append(r.connected, f)
}

// ListenRecovered registers f to be called with the name of each cluster that answers again
// after it did not, as Member.Unavailable reports. f must not wait for a member.
func (r *Registry) ListenRecovered(f func(cluster string)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recovered = append(r.recovered, f)
}

// ListenArrived registers f to be called with each Work that waits by Member.Await, when
// what it waits for may be there. f must not wait for a member.
func (r *Registry) ListenArrived(f func(work types.NamespacedName)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.arrived = append(r.arrived, f)
}

// Get returns the connection to a member, if there is one that was admitted.
func (r *Registry) Get(cluster string) (*Member, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	m, ok := r.members[cluster]
	if !ok || !m.admitted {
		return nil, false
	}
	return m, true
}

// Connect opens the connection to a cluster and admits it, see Open and Admit.
func (r *Registry) Connect(ctx context.Context, cluster *clusterv1alpha1.Cluster) (*Member, error) {
	m, err := r.Open(ctx, cluster)
	if err == nil {
		r.Admit(m)
	}
	return m, err
}

// Open returns the connection to a cluster, a new one where its address or its
// credentials changed. It makes no request to the cluster. An existing connection stays
// if the credentials cannot be read. A new one is not returned by Get before it is admitted:
// another cluster may be behind the name.
func (r *Registry) Open(ctx context.Context, cluster *clusterv1alpha1.Cluster) (*Member, error) {
	a, err := r.access(ctx, cluster)
	if err != nil {
		return nil, err
	}
	m, err := r.replace(ctx, cluster.Name, a)
	if err != nil {
		return nil, fmt.Errorf("connect to cluster %s: %w", cluster.Name, err)
	}
	return m, nil
}

// Admit has Get return a connection. The first call for it notifies who listens for
// connections; one that has ended stays as it is.
func (r *Registry) Admit(m *Member) {
	if r.admit(m) {
		notify(r, m.Name, &r.connected)
	}
}

// admit reports whether the connection was not admitted before.
func (r *Registry) admit(m *Member) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.members[m.Name] != m || m.admitted {
		return false
	}
	m.admitted = true
	return true
}

// replace returns the connection with this access.
func (r *Registry) replace(ctx context.Context, cluster string, a access) (*Member, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, errClosed
	}
	if m := r.members[cluster]; m != nil {
		if m.access == a {
			return m, nil
		}
		m.stop()
		delete(r.members, cluster)
	}
	m, err := open(ctx, cluster, a, limits{r.Timeout, r.QPS, r.Burst}, hooks{
		wrap:      r.Wrap,
		changed:   func(e Event) { notify(r, e, &r.listeners) },
		recovered: func(cluster string) { notify(r, cluster, &r.recovered) },
		arrived:   func(work types.NamespacedName) { notify(r, work, &r.arrived) },
	})
	if err != nil {
		return nil, err
	}
	r.members[cluster] = m
	return m, nil
}

// Disconnect ends the connection to a cluster.
func (r *Registry) Disconnect(cluster string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m := r.members[cluster]; m != nil {
		m.stop()
		delete(r.members, cluster)
	}
}

// notify calls all listeners of one sort.
func notify[T any](r *Registry, what T, listeners *[]func(T)) {
	r.mu.RLock()
	all := *listeners
	r.mu.RUnlock()
	for _, f := range all {
		f(what)
	}
}

// access reads how to reach a cluster.
func (r *Registry) access(ctx context.Context, cluster *clusterv1alpha1.Cluster) (access, error) {
	if cluster.Spec.APIEndpoint == "" {
		return access{}, fmt.Errorf("cluster %s has no spec.apiEndpoint", cluster.Name)
	}
	if cluster.Spec.SecretRef == nil {
		return access{}, fmt.Errorf("cluster %s has no spec.secretRef", cluster.Name)
	}
	key := types.NamespacedName{Namespace: cluster.Spec.SecretRef.Namespace, Name: cluster.Spec.SecretRef.Name}
	secret := &corev1.Secret{}
	if err := r.hub.Get(ctx, key, secret); err != nil {
		return access{}, fmt.Errorf("read the credentials of cluster %s: %w", cluster.Name, err)
	}
	return accessOf(cluster, secret)
}
