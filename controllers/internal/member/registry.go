// SPDX-License-Identifier: Apache-2.0

package member

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
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

	hub client.Reader

	mu      sync.RWMutex
	members map[string]*Member
	closed  bool
	// listeners are called for each event, connected for each new connection; both are
	// only added to.
	listeners []func(Event)
	connected []func(cluster string)
}

// NewRegistry returns a registry that reads credentials from hub. The connections
// last until they are disconnected, or Close is called.
func NewRegistry(hub client.Reader) *Registry {
	return &Registry{Timeout: 32 * time.Second, hub: hub, members: map[string]*Member{}}
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

// ListenConnected registers f to be called with the name of each cluster that gets a
// connection, the first or a new one. Nothing is watched on a new connection, so that
// what was watched on the one before must be watched again. f must not wait for a member.
func (r *Registry) ListenConnected(f func(cluster string)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.connected = append(r.connected, f)
}

// Get returns the connection to a member, if there is one.
func (r *Registry) Get(cluster string) (*Member, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	m, ok := r.members[cluster]
	return m, ok
}

// Connect returns the connection to a cluster, a new one where its address or its
// credentials changed. It makes no request to the cluster. An existing connection stays
// if the credentials cannot be read.
func (r *Registry) Connect(ctx context.Context, cluster *clusterv1alpha1.Cluster) (*Member, error) {
	a, err := r.access(ctx, cluster)
	if err != nil {
		return nil, err
	}
	m, isNew, err := r.replace(ctx, cluster.Name, a)
	if err != nil {
		return nil, fmt.Errorf("connect to cluster %s: %w", cluster.Name, err)
	}
	if isNew {
		r.mu.RLock()
		connected := slices.Clone(r.connected)
		r.mu.RUnlock()
		for _, f := range connected {
			f(cluster.Name)
		}
	}
	return m, nil
}

// replace returns the connection with this access, and whether it is new.
func (r *Registry) replace(ctx context.Context, cluster string, a access) (*Member, bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, false, errClosed
	}
	if m := r.members[cluster]; m != nil {
		if m.access == a {
			return m, false, nil
		}
		m.stop()
		delete(r.members, cluster)
	}
	m, err := open(ctx, cluster, a, r.Timeout, r.notify)
	if err != nil {
		return nil, false, err
	}
	r.members[cluster] = m
	return m, true, nil
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

func (r *Registry) notify(event Event) {
	r.mu.RLock()
	listeners := r.listeners
	r.mu.RUnlock()
	for _, f := range listeners {
		f(event)
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
