// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
)

// estimators are the processes beside the members.
type estimators struct {
	processes []*exec.Cmd
	// metrics are the addresses of their metrics.
	metrics []string
	// flags are those by which the manager finds them.
	flags []string
}

// startEstimators runs an estimator beside each member, which gets that many nodes first.
func startEstimators(ctx context.Context, members []*fleet.Cluster, binary string, nodes int) (*estimators, error) {
	all := &estimators{flags: []string{"--enable-scheduler-estimator"}}
	for _, m := range members {
		if err := addNodes(ctx, m, nodes); err != nil {
			return all, err
		}
		port, err := fleet.FreePort()
		if err != nil {
			return all, err
		}
		metrics, err := fleet.FreePort()
		if err != nil {
			return all, err
		}
		all.metrics = append(all.metrics, net.JoinHostPort("127.0.0.1", strconv.Itoa(metrics)))
		all.flags = append(all.flags, "--scheduler-estimator-address", fmt.Sprintf("%s=127.0.0.1:%d", m.Name, port))
		cmd := exec.CommandContext(ctx, binary, "--cluster-name", m.Name, "--kubeconfig", m.Kubeconfig, "--bind-address", "127.0.0.1", "--port", strconv.Itoa(port), //nolint:gosec // built by make
			"--health-probe-bind-address", "0", "--metrics-bind-address", all.metrics[len(all.metrics)-1])
		cmd.Stdout, cmd.Stderr = nil, os.Stderr
		if err := cmd.Start(); err != nil {
			return all, err
		}
		all.processes = append(all.processes, cmd)
	}
	return all, nil
}

func (e *estimators) stop() {
	for _, p := range e.processes {
		_ = p.Process.Kill()
		_ = p.Wait()
	}
}

// addNodes creates nodes of three shapes that nothing runs on.
func addNodes(ctx context.Context, m *fleet.Cluster, n int) error {
	config := m.RESTConfig()
	config.QPS = -1
	kube, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("bench-%03d", i)
	}
	return each(names, func(name string) error {
		shape := int64(name[len(name)-1]-'0') % 3
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}}}
		node.Status.Allocatable = corev1.ResourceList{
			"cpu": *resource.NewQuantity(8<<shape, resource.DecimalSI), "memory": *resource.NewQuantity(32<<30<<shape, resource.BinarySI), "pods": resource.MustParse("110"),
		}
		node.Status.Capacity = node.Status.Allocatable
		node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "Bench"}}
		node, err := kube.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		node.Spec.Taints = nil // the API server taints a new node, and no controller runs that takes it back
		_, err = kube.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
		return err
	})
}

// requests counts the requests to all estimators, by method.
func (e *estimators) requests(ctx context.Context) (map[string]float64, error) {
	all := map[string]float64{}
	for _, address := range e.metrics {
		m := &manager{address: address}
		s, err := m.metrics(ctx)
		if err != nil {
			return nil, err
		}
		for method, n := range s.sum("dragoman_estimator_requests_total", func(l map[string]string) string { return l["method"] }) {
			all[method] += n
		}
		for _, n := range s.sum("dragoman_estimator_batch_questions_total", func(map[string]string) string { return "questions" }) {
			all["questions"] += n
		}
	}
	return all, nil
}

// packed is the policy of all Deployments: in as few clusters as have room for them.
func packed() *policyv1alpha1.PropagationPolicy {
	p := &policyv1alpha1.PropagationPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "packed"}}
	p.Spec.ResourceSelectors = []policyv1alpha1.ResourceSelector{{APIVersion: "apps/v1", Kind: "Deployment"}}
	p.Spec.Placement.ReplicaScheduling = &policyv1alpha1.ReplicaSchedulingStrategy{
		ReplicaSchedulingType: policyv1alpha1.ReplicaSchedulingTypeDivided, ReplicaDivisionPreference: policyv1alpha1.ReplicaDivisionPreferenceAggregated,
	}
	return p
}

// bindWithoutScheduling creates Deployments and has their bindings made by a manager that does
// not schedule, which is stopped then.
func (s *site) bindWithoutScheduling(ctx context.Context, names []string) (*journeys, error) {
	s.manager.stop()
	if err := s.hub.Create(ctx, packed()); err != nil {
		return nil, err
	}
	if err := each(names, func(name string) error { return s.hub.Create(ctx, newDeployment(name)) }); err != nil {
		return nil, err
	}
	fmt.Println("  a manager that does not schedule makes the bindings")
	s.manager.flags = append(slices.Clone(s.manager.flags), "--controllers", "template,policy,clusterpolicy")
	if err := s.manager.start(ctx); err != nil {
		return nil, err
	}
	seen, err := s.watchBindings(ctx)
	if err != nil {
		return nil, err
	}
	err = await(ctx, "bindings", seen.missing(len(names), isBound))
	s.manager.stop()
	return seen, err
}

// schedule has the bindings of all Deployments placed by the estimators, and a hundred more in
// the midst of that, one each 50 ms.
func (s *site) schedule(ctx context.Context) error {
	names, flags := s.names(), s.manager.flags
	seen, err := s.bindWithoutScheduling(ctx, names)
	if err != nil {
		return err
	}
	e, err := startEstimators(ctx, s.fleet.Members, filepath.Join(filepath.Dir(s.manager.binary), "dragoman-estimator"), s.o.nodes)
	defer e.stop()
	if err != nil {
		return err
	}
	s.manager.flags = append(slices.Clone(flags), e.flags...)
	if err := s.awaitEstimators(ctx, e); err != nil {
		return err
	}
	if err := s.manager.start(ctx); err != nil {
		return err
	}
	before, err := s.read(ctx)
	if err != nil {
		return err
	}
	if err := await(ctx, "bindings", seen.missing(1, isPlaced)); err != nil {
		return err
	}
	began := time.Now()
	live := make(chan error, 1)
	go func() { live <- s.live(ctx, seen, 100, 50*time.Millisecond) }()
	if err := await(ctx, "bindings", seen.missing(len(names), isPlaced)); err != nil {
		return err
	}
	took := time.Since(began)
	fmt.Printf("  %d bindings placed %v after the first: %.0f a second\n", len(names), took.Round(time.Millisecond), float64(len(names))/took.Seconds())
	if err := <-live; err != nil {
		return err
	}
	seen.print()
	if err := s.quiet(ctx); err != nil {
		return err
	}
	asked, err := e.requests(ctx)
	if err != nil {
		return err
	}
	all := len(names) + len(seen.created)
	fmt.Printf("  requests to %d estimators of %d nodes each: %s; %.3f a binding and cluster\n", len(s.fleet.Members), s.o.nodes, list(asked), (asked["Estimate"]+asked["MaxAvailableReplicas"])/float64(all*len(s.fleet.Members)))
	after, err := s.read(ctx)
	if err != nil {
		return err
	}
	difference(before, after, all)
	return nil
}

// awaitEstimators waits until all estimators serve their metrics.
func (s *site) awaitEstimators(ctx context.Context, e *estimators) error {
	return await(ctx, "estimators", func() (int, time.Time) {
		missing := 0
		for _, address := range e.metrics {
			r, err := http.Get("http://" + address + "/metrics") //nolint:noctx,gosec // of this machine
			if err != nil {
				missing++
				continue
			}
			_ = r.Body.Close()
		}
		return missing, time.Time{}
	})
}
