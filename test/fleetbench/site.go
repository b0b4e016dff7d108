// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/test/scenario"
)

const (
	namespace = "bench"
	// writers is how many objects this program writes at once.
	writers = 16
)

var deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}

// site is the fleet with what measures it.
type site struct {
	fleet    *fleet.Fleet
	manager  *manager
	hub      client.WithWatch
	kube     *kubernetes.Clientset
	arrivals *arrivals
	// restarts counts how often the manager was started again under changes.
	restarts int
	o        options
}

// newSite returns the site of a fleet whose manager does not run yet.
func newSite(f *fleet.Fleet, binary, log string, o options) (*site, error) {
	scheme, err := controllers.Scheme()
	if err != nil {
		return nil, err
	}
	config := f.ControlPlane.RESTConfig()
	config.QPS = -1 // no limit
	s := &site{
		fleet: f, o: o, arrivals: &arrivals{at: map[copyKey]mark{}, last: time.Now()},
		manager: &manager{binary: binary, kubeconfig: f.ControlPlane.Kubeconfig, log: log, flags: strings.Fields(o.manager)},
	}
	if s.hub, err = client.NewWithWatch(config, client.Options{Scheme: scheme}); err != nil {
		return nil, err
	}
	s.kube, err = kubernetes.NewForConfig(config)
	return s, err
}

// join joins the members, makes the namespace everywhere and watches the members.
func (s *site) join(ctx context.Context) error {
	if err := scenario.Join(ctx, s.fleet); err != nil {
		return err
	}
	for _, c := range append([]*fleet.Cluster{s.fleet.ControlPlane}, s.fleet.Members...) {
		kube, err := kubernetes.NewForConfig(c.RESTConfig())
		if err != nil {
			return err
		}
		_, err = kube.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	for _, m := range s.fleet.Members {
		if err := s.arrivals.watchMember(ctx, m); err != nil {
			return err
		}
	}
	return await(ctx, "members", func() (int, time.Time) {
		n := len(s.fleet.Members)
		all := &clusterv1alpha1.ClusterList{}
		if err := s.hub.List(ctx, all); err != nil {
			return n, time.Time{}
		}
		for i := range all.Items {
			if meta.IsStatusConditionTrue(all.Items[i].Status.Conditions, clusterv1alpha1.ClusterConditionReady) {
				n--
			}
		}
		return n, time.Time{}
	})
}

// members returns the names of the members.
func (s *site) members() []string {
	names := make([]string, len(s.fleet.Members))
	for i, m := range s.fleet.Members {
		names[i] = m.Name
	}
	return names
}

// all waits until all copies of a round are in all members.
func (s *site) all(ctx context.Context, round string, names []string) error {
	return await(ctx, "copies", func() (int, time.Time) { return s.arrivals.missing(round, s.members(), names) })
}

// applied waits until all bindings report that they are fully applied.
func (s *site) applied(ctx context.Context) error {
	last, before := time.Now(), -1
	return await(ctx, "bindings", func() (int, time.Time) {
		time.Sleep(500 * time.Millisecond) // a list of all is dear
		list := &workv1alpha2.ResourceBindingList{}
		if err := s.hub.List(ctx, list, client.InNamespace(namespace)); err != nil {
			return 1, last
		}
		n := 0
		for i := range list.Items {
			if !meta.IsStatusConditionTrue(list.Items[i].Status.Conditions, workv1alpha2.FullyApplied) {
				n++
			}
		}
		if n != before {
			before, last = n, time.Now()
		}
		return n, last
	})
}

// quiet waits until the manager reconciled all templates, nothing waits in its queues, and
// it has made no request to the hub but reads, and those that renew its lease, for two
// seconds.
func (s *site) quiet(ctx context.Context) error {
	var last float64
	calm := time.Now()
	for began := time.Now(); ; {
		r, err := s.read(ctx)
		if err != nil {
			return err
		}
		total := 0.0
		for method, n := range r.toHub {
			if method != "GET" && method != "PUT" {
				total += n
			}
		}
		if total != last {
			last, calm = total, time.Now()
		}
		if r.waiting == 0 && r.reconciles["rendering success"] >= float64(s.o.templates) && time.Since(calm) > 2*time.Second {
			return nil
		}
		if time.Since(began) > 10*patience {
			return errors.New("the manager does not come to rest")
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// each calls f for all names, some at once.
func each(names []string, f func(name string) error) error {
	work, failed := make(chan string), make(chan error, writers)
	for range writers {
		go func() {
			var first error
			for name := range work {
				if err := f(name); err != nil && first == nil {
					first = fmt.Errorf("%s: %w", name, err)
				}
			}
			failed <- first
		}()
	}
	for _, name := range names {
		work <- name
	}
	close(work)
	var all []error
	for range writers {
		all = append(all, <-failed)
	}
	return errors.Join(all...)
}
