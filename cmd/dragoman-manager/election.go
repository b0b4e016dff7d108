// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/api/names"
	"github.com/dragoman-io/dragoman/controllers"
)

// election is how one of several managers is chosen to run the controllers. Names and
// defaults of its flags are those of the published control plane.
type election struct {
	enabled   bool
	namespace string
	lease     time.Duration
	renew     time.Duration
	retry     time.Duration
}

func (e *election) addFlags(s *pflag.FlagSet) {
	s.BoolVar(&e.enabled, "leader-elect", true, "run the controllers only while holding the lease dragoman-manager, so that of several managers one does")
	s.StringVar(&e.namespace, "leader-elect-resource-namespace", names.SystemNamespace, "namespace of the lease; it is created if it does not exist")
	s.DurationVar(&e.lease, "leader-elect-lease-duration", 15*time.Second, "how long others wait for a leader that does not renew its lease")
	s.DurationVar(&e.renew, "leader-elect-renew-deadline", 10*time.Second, "how long a leader tries to renew its lease before it ends; less than the lease lasts")
	s.DurationVar(&e.retry, "leader-elect-retry-period", 2*time.Second, "time between two tries to take or to renew the lease")
}

// leaseName is the name of the lease.
const leaseName = "dragoman-manager"

// options returns the options of a manager with the election in them.
func (e *election) options(o ctrl.Options) ctrl.Options {
	o.LeaderElection, o.LeaderElectionID, o.LeaderElectionNamespace = e.enabled, leaseName, e.namespace
	o.LeaseDuration, o.RenewDeadline, o.RetryPeriod = &e.lease, &e.renew, &e.retry
	// The process ends with the manager, so nobody waits for its lease to expire.
	o.LeaderElectionReleaseOnCancel = true
	return o
}

// of returns the terms that a process leads for; nil if it is not elected.
func (e *election) of(l *lead) controllers.Election {
	if !e.enabled {
		return nil
	}
	return l
}

// prepare creates the namespace of the lease if it does not exist.
func (e *election) prepare(ctx context.Context, config *rest.Config) error {
	if !e.enabled {
		return nil
	}
	c, err := client.New(config, client.Options{})
	if err != nil {
		return fmt.Errorf("reach the control plane: %w", err)
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: e.namespace}}
	err = c.Get(ctx, client.ObjectKeyFromObject(namespace), namespace)
	if apierrors.IsNotFound(err) {
		err = client.IgnoreAlreadyExists(c.Create(ctx, namespace))
	}
	// Who may not read namespaces may hold a lease all the same.
	if err != nil && !apierrors.IsForbidden(err) {
		return fmt.Errorf("create the namespace %s of the lease: %w", e.namespace, err)
	}
	return nil
}
