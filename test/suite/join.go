// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/transport"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	controllerconfig "sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
	"github.com/dragoman-io/dragoman/controllers"
)

// Address is where an API server is and what opens it.
type Address struct {
	URL, Token string
	CA         []byte
}

// At returns the address of a member.
func At(member *fleet.Cluster) Address {
	return Address{URL: member.URL, Token: member.Token, CA: member.CA}
}

// Through returns the address of a member behind a proxy.
func Through(p *Proxy, member *fleet.Cluster) Address {
	return Address{URL: p.URL, Token: member.Token, CA: p.CA}
}

// Join creates a Cluster object of this name and its Secret through the manager's
// client, whose cache has both when it returns. Many names may have one address.
func (s *Suite) Join(ctx context.Context, name string, at Address) (*clusterv1alpha1.Cluster, error) {
	c := s.Manager.GetClient()
	cluster := &clusterv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: clusterv1alpha1.ClusterSpec{
		SyncMode: clusterv1alpha1.Push, APIEndpoint: at.URL,
		SecretRef: &clusterv1alpha1.LocalSecretReference{Namespace: names.ClusterNamespace, Name: name},
	}}
	for _, o := range []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: names.ClusterNamespace}},
		&corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: names.ClusterNamespace, Name: name},
			Data:       map[string][]byte{clusterv1alpha1.SecretTokenKey: []byte(at.Token), clusterv1alpha1.SecretCADataKey: at.CA},
		},
		cluster,
	} {
		if err := c.Create(ctx, o); client.IgnoreAlreadyExists(err) != nil {
			return nil, err
		}
	}
	return cluster, nil
}

// Manage runs a further manager on the control plane, for specs whose subject is a
// watch. Only the objects that only allows are seen by it, so that it leaves those
// of other specs alone; a kind that only does not name is seen whole. The caller
// must call stop, which returns when all has ended. Wrappers see each request of the
// manager.
func (s *Suite) Manage(only map[client.Object]cache.ByObject, register func(context.Context, ctrl.Manager) error, wrappers ...transport.WrapperFunc) (stop func() error, err error) {
	skip := true
	options, err := controllers.ManagerOptions(ctrl.Options{
		Metrics: metricsserver.Options{BindAddress: "0"}, Controller: controllerconfig.Controller{SkipNameValidation: &skip},
	})
	if err != nil {
		return nil, err
	}
	options.Cache.ByObject = only
	config := s.Fleet.ControlPlane.RESTConfig()
	for _, w := range wrappers {
		config.Wrap(w)
	}
	ctx, cancel := context.WithCancel(context.Background())
	mgr, err := newManager(ctx, config, options)
	if err != nil {
		cancel()
		return nil, err
	}
	if err := controllers.RegisterIndexes(ctx, mgr.GetFieldIndexer()); err != nil {
		cancel()
		return nil, err
	}
	if err := register(ctx, mgr); err != nil {
		cancel()
		return nil, err
	}
	done := make(chan error, 1)
	go func() { done <- mgr.Start(ctx) }()
	return func() error {
		cancel()
		return <-done
	}, nil
}
