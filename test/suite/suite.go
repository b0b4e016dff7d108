// SPDX-License-Identifier: Apache-2.0

// Package suite starts what the suites of the controllers run on: a real
// kube-apiserver as control plane with the CRDs installed, bare API servers as
// members, and a manager whose cache has the shared indexes. One suite has one
// server; each spec has a namespace of its own.
package suite

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/test/install"
)

// Suite is a running control plane with members.
type Suite struct {
	Fleet *Servers
	// Manager has the scheme and, once Run was called, a running cache. Controllers
	// are registered before that, or their Reconcile is called directly.
	Manager ctrl.Manager
	// Client reads and writes the control plane's API server without a cache.
	Client client.WithWatch

	// life ends with the suite.
	life   context.Context //nolint:containedctx // the life of the manager
	cancel context.CancelFunc
	done   chan error
}

// Start starts a control plane with the CRDs installed, and bare members with these names:
// those of the pool of the test run, or servers of its own if there is none. The caller must
// call Stop.
func Start(ctx context.Context, members ...string) (*Suite, error) {
	return begin(ctx, share, members)
}

// begin is Start with servers from a source.
func begin(ctx context.Context, source func(context.Context, []string) (*Servers, error), members []string) (*Suite, error) {
	servers, err := source(ctx, members)
	if err != nil {
		return nil, err
	}
	s := &Suite{Fleet: servers}
	s.life, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if err := s.prepare(ctx); err != nil {
		s.cancel()
		return nil, errors.Join(err, servers.stop())
	}
	return s, nil
}

func (s *Suite) prepare(ctx context.Context) error {
	options, err := controllers.ManagerOptions(ctrl.Options{Metrics: metricsserver.Options{BindAddress: "0"}})
	if err != nil {
		return err
	}
	skip := true // the suites of one process register a name more than once
	options.Controller = config.Controller{SkipNameValidation: &skip}
	hub := s.Fleet.ControlPlane.RESTConfig()
	if s.Client, err = client.NewWithWatch(hub, client.Options{Scheme: options.Scheme}); err != nil {
		return err
	}
	if s.Manager, err = newManager(s.life, hub, options); err != nil {
		return err
	}
	return controllers.RegisterIndexes(ctx, s.Manager.GetFieldIndexer())
}

// newManager returns a manager whose watches wait for the control plane as those of the real one do,
// until ctx ends.
func newManager(ctx context.Context, config *rest.Config, options ctrl.Options) (ctrl.Manager, error) {
	if _, err := controllers.ResumeWatches(ctx, config, &options, controllers.ObserveInformers(&options)); err != nil {
		return nil, err
	}
	return ctrl.NewManager(config, options)
}

// Run starts the manager and waits for its cache.
func (s *Suite) Run() error {
	s.done = make(chan error, 1)
	go func() { s.done <- s.Manager.Start(s.life) }()
	if !s.Manager.GetCache().WaitForCacheSync(s.life) {
		return fmt.Errorf("the cache did not start: %w", <-s.done)
	}
	return nil
}

// Stop ends manager and servers.
func (s *Suite) Stop() error {
	s.cancel()
	if s.done != nil {
		<-s.done
	}
	return s.Fleet.stop()
}

// Install is install.CRDs.
func Install(ctx context.Context, c client.Client, definitions ...*apiextensionsv1.CustomResourceDefinition) error {
	return install.CRDs(ctx, c, definitions...)
}

// Namespace creates a namespace for one spec.
func (s *Suite) Namespace(ctx context.Context) (string, error) {
	n := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "spec-"}}
	err := s.Client.Create(ctx, n)
	return n.Name, err
}

// Cluster creates the Cluster object of a member with its Secret, as a user who joins it
// would. It returns the object as the API server has it.
func (s *Suite) Cluster(ctx context.Context, member *fleet.Cluster) (*clusterv1alpha1.Cluster, error) {
	for _, o := range []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: names.ClusterNamespace}},
		&corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: names.ClusterNamespace, Name: member.Name},
			Data:       map[string][]byte{clusterv1alpha1.SecretTokenKey: []byte(member.Token), clusterv1alpha1.SecretCADataKey: member.CA},
		},
	} {
		if err := s.Client.Create(ctx, o); client.IgnoreAlreadyExists(err) != nil {
			return nil, err
		}
	}
	cluster := &clusterv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: member.Name}, Spec: clusterv1alpha1.ClusterSpec{
		SyncMode: clusterv1alpha1.Push, APIEndpoint: member.URL,
		SecretRef: &clusterv1alpha1.LocalSecretReference{Namespace: names.ClusterNamespace, Name: member.Name},
	}}
	err := s.Client.Create(ctx, cluster)
	return cluster, err
}

// Ready writes a Ready condition into a Cluster's status, in the place of the cluster
// controller.
func (s *Suite) Ready(ctx context.Context, cluster *clusterv1alpha1.Cluster, status metav1.ConditionStatus) error {
	base := cluster.DeepCopy()
	meta.SetStatusCondition(&cluster.Status.Conditions, metav1.Condition{
		Type: clusterv1alpha1.ClusterConditionReady, Status: status, Reason: "Spec", Message: "set by a spec",
	})
	return s.Client.Status().Patch(ctx, cluster, client.MergeFrom(base))
}
