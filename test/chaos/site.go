// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/scenario"
)

// gadgets is the kind of the applications.
var gadgets = schema.GroupVersionResource{Group: fixture.GadgetKind.Group, Version: fixture.GadgetKind.Version, Resource: "gadgets"}

// requestTimeout bounds each request of this program: a server that is stopped answers none.
const requestTimeout = 5 * time.Second

// site is a fleet with two managers, and what watches it.
type site struct {
	fleet     *fleet.Fleet
	hub       client.Client
	operators map[string]*operator
	replicas  []*replica
	ledger    *ledger
	stream    *stream
	// logs is the folder of the logs, journal the file with what the ledger saw.
	logs    string
	journal *os.File

	cancel  context.CancelFunc
	playing sync.WaitGroup
}

func newSite(lab scenario.Lab, flags []string) (*site, error) {
	scheme, err := controllers.Scheme()
	if err != nil {
		return nil, err
	}
	if err := apiextensionsv1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	s := &site{fleet: lab.Fleet, operators: map[string]*operator{}, logs: filepath.Dir(lab.Log)}
	if s.hub, err = client.New(bounded(lab.Fleet.ControlPlane), client.Options{Scheme: scheme}); err != nil {
		return nil, err
	}
	for _, name := range []string{"a", "b"} {
		s.replicas = append(s.replicas, &replica{name: name, binary: lab.Binary, kubeconfig: lab.Fleet.ControlPlane.Kubeconfig, logs: s.logs, flags: flags})
	}
	if s.journal, err = os.Create(filepath.Join(s.logs, "journal.log")); err != nil {
		return nil, err
	}
	s.ledger = newLedger(func(text string) {
		_, _ = fmt.Fprintln(s.journal, time.Now().UTC().Format("15:04:05.000"), text) // a log
	})
	observer := &observer{ledger: s.ledger, hub: lab.Fleet.ControlPlane.Name}
	if s.stream, err = newStream(lab.Fleet, observer.take); err != nil {
		return nil, err
	}
	return s, nil
}

func bounded(c *fleet.Cluster) *rest.Config {
	config := c.RESTConfig()
	config.Timeout = requestTimeout
	return config
}

// setUp installs the kind, starts the managers, the checker and the operators, and joins the
// members. Stop ends what it has started, also after an error.
func (s *site) setUp(ctx context.Context) error {
	playing, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.cancel = cancel
	s.playing.Go(func() {
		if err := s.stream.run(playing); err != nil {
			s.ledger.failed(unknownable, err.Error())
		}
	})
	select {
	case <-s.stream.began:
	case <-time.After(requestTimeout):
		return errors.New("etcd does not answer the checker")
	}
	for _, c := range append([]*fleet.Cluster{s.fleet.ControlPlane}, s.fleet.Members...) {
		if err := install(ctx, c); err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	for _, r := range s.replicas {
		if err := r.start(); err != nil {
			return err
		}
	}
	if err := scenario.Join(ctx, s.fleet); err != nil {
		return err
	}
	if err := s.seeReady(ctx); err != nil {
		return err
	}
	for _, m := range s.fleet.Members {
		o, err := newOperator(m)
		if err != nil {
			return err
		}
		s.operators[m.Name] = o
		s.playing.Go(func() { o.run(playing) })
	}
	for _, o := range append([]client.Object{health()}, policies()...) {
		if err := s.hub.Create(ctx, o); err != nil {
			return err
		}
	}
	return s.seeRules(ctx)
}

// install creates the namespace and the kind of the applications.
func install(ctx context.Context, c *fleet.Cluster) error {
	scheme, err := controllers.Scheme()
	if err != nil {
		return err
	}
	if err := apiextensionsv1.AddToScheme(scheme); err != nil {
		return err
	}
	k, err := client.New(bounded(c), client.Options{Scheme: scheme})
	if err != nil {
		return err
	}
	if err := k.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}); err != nil {
		return err
	}
	crd := fixture.GadgetCRDs()[0]
	if err := k.Create(ctx, crd); err != nil {
		return err
	}
	return wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		if err := k.Get(ctx, client.ObjectKeyFromObject(crd), crd); err != nil {
			return false, err
		}
		for _, c := range crd.Status.Conditions {
			if c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue {
				return true, nil
			}
		}
		return false, nil
	})
}

func (s *site) seeReady(ctx context.Context) error {
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, 2*time.Minute, true, func(ctx context.Context) (bool, error) {
		all := &clusterv1alpha1.ClusterList{}
		if err := s.hub.List(ctx, all); err != nil {
			return false, err
		}
		ready := 0
		for i := range all.Items {
			if meta.IsStatusConditionTrue(all.Items[i].Status.Conditions, clusterv1alpha1.ClusterConditionReady) {
				ready++
			}
		}
		return ready == members, nil
	})
	if err != nil {
		return fmt.Errorf("wait for the members: %w", err)
	}
	return nil
}

func (s *site) seeRules(ctx context.Context) error {
	cr := health()
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		err := s.hub.Get(ctx, client.ObjectKeyFromObject(cr), cr)
		return err == nil && meta.IsStatusConditionTrue(cr.Status.Conditions, configv1alpha1.ConditionActive), err
	})
	if err != nil {
		return fmt.Errorf("wait for the customization: %w", err)
	}
	return nil
}

// stop ends the managers, the checker and the operators.
func (s *site) stop() {
	for _, r := range s.replicas {
		if r.ended != nil {
			r.stop()
		}
	}
	s.cancel()
	s.playing.Wait()
	_ = s.journal.Close() // a log
}

// leaders returns how many times another manager took the lead.
func (s *site) leaders(ctx context.Context) (int32, error) {
	lease := &coordinationv1.Lease{}
	if err := s.hub.Get(ctx, client.ObjectKey{Namespace: names.SystemNamespace, Name: "dragoman-manager"}, lease); err != nil {
		return 0, err
	}
	return ptr.Deref(lease.Spec.LeaseTransitions, 0), nil
}

// panics looks for those in the logs of the managers.
func (s *site) panics() error {
	logs, err := filepath.Glob(filepath.Join(s.logs, "manager-*.log"))
	if err != nil {
		return err
	}
	for _, path := range logs {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") || strings.Contains(line, "bserved a panic") {
				s.ledger.failed(panicked, filepath.Base(path)+": "+strings.TrimSpace(line))
			}
		}
	}
	return nil
}
