// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/test/scenario"
)

// hub is the name of the control plane among the clusters.
const hub = "hub"

// site is a fleet with a client for each cluster.
type site struct {
	fleet   *fleet.Fleet
	hub     client.Client
	clients map[string]client.Client
}

// newSite installs the kinds, so that a manager can start.
func newSite(ctx context.Context, f *fleet.Fleet) (*site, error) {
	if err := scenario.Install(ctx, f); err != nil {
		return nil, err
	}
	scheme, err := controllers.Scheme()
	if err != nil {
		return nil, err
	}
	s := &site{fleet: f, clients: map[string]client.Client{}}
	for i, c := range append([]*fleet.Cluster{f.ControlPlane}, f.Members...) {
		config, name := c.RESTConfig(), c.Name
		config.QPS = -1 // no limit
		if i == 0 {
			name = hub
		}
		if s.clients[name], err = client.New(config, client.Options{Scheme: scheme}); err != nil {
			return nil, err
		}
	}
	s.hub = s.clients[hub]
	return s, nil
}

// join makes the namespace everywhere, and the members known to the manager.
func (s *site) join(ctx context.Context) error {
	for _, c := range s.clients {
		if err := c.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}); err != nil {
			return err
		}
	}
	if err := scenario.Join(ctx, s.fleet); err != nil {
		return err
	}
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		for _, m := range s.fleet.Members {
			c := &clusterv1alpha1.Cluster{}
			if err := s.hub.Get(ctx, client.ObjectKey{Name: m.Name}, c); err != nil || !meta.IsStatusConditionTrue(c.Status.Conditions, clusterv1alpha1.ClusterConditionReady) {
				return false, client.IgnoreNotFound(err)
			}
		}
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("wait for the members: %w", err)
	}
	return nil
}
