// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/dragoman-io/dragoman/controllers/decide/capacity/inventory"
)

// Options are what an estimator is told.
type Options struct {
	// Cluster is the name of the member by which requests name it.
	Cluster string
	// Listener is where requests come in; the estimator closes it.
	Listener net.Listener
	// TLS is nil for plain text.
	TLS      *tls.Config
	Registry prometheus.Registerer
}

// Register adds an estimator to a manager of the member, whose cache must have the options
// of CacheOptions. The manager's /readyz succeeds once the nodes, pods and quotas are read.
func Register(ctx context.Context, mgr ctrl.Manager, o Options) error {
	if o.Cluster == "" {
		return errors.New("the cluster has no name")
	}
	i := inventory.New()
	synced, err := Watch(ctx, mgr.GetCache(), i)
	if err != nil {
		return err
	}
	m, err := NewMetrics(o.Registry, i)
	if err != nil {
		return err
	}
	s := &Server{TLS: o.TLS, Metrics: m, Service: &Service{Cluster: o.Cluster, Inventory: i, Synced: synced, Clock: clock.RealClock{}}}
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return err
	}
	if err := mgr.AddReadyzCheck("synced", func(*http.Request) error {
		if !synced() {
			return errors.New("the nodes and pods of the cluster are not read yet")
		}
		return nil
	}); err != nil {
		return err
	}
	return mgr.Add(manager.RunnableFunc(func(ctx context.Context) error { return s.Serve(ctx, o.Listener) }))
}
