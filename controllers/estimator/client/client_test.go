// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"context"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"

	pb "github.com/dragoman-io/dragoman/api/estimator"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/capacity/inventory"
	"github.com/dragoman-io/dragoman/controllers/estimator/client"
	"github.com/dragoman-io/dragoman/controllers/estimator/server"
)

// estimator is a real service whose requests are counted and can be held up.
type estimator struct {
	address string
	service *server.Service
	// hang has requests wait until their context ends; down has them fail, breaks has the next
	// ones fail.
	hang, down atomic.Bool
	breaks     atomic.Int32
	mu         sync.Mutex
	methods    map[string]int
	objects    map[string]int
}

// start serves an estimator of a cluster whose only node has some CPUs, with or without
// the service for many questions.
func start(t *testing.T, cluster, cpus string, batch bool) *estimator {
	t.Helper()
	i := inventory.New()
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
	n.Status.Allocatable = corev1.ResourceList{"cpu": resource.MustParse(cpus), "pods": resource.MustParse("110")}
	i.SetNode(n)
	e := &estimator{methods: map[string]int{}, objects: map[string]int{}, service: &server.Service{
		Cluster: cluster, Inventory: i, Synced: func() bool { return true }, Clock: clocktesting.NewFakePassiveClock(time.Unix(0, 0)),
	}}
	g := grpc.NewServer(grpc.UnaryInterceptor(e.intercept))
	pb.RegisterEstimatorServer(g, e.service)
	if batch {
		pb.RegisterBatchEstimatorServer(g, e.service)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	e.address = l.Addr().String()
	done := make(chan error, 1)
	go func() { done <- g.Serve(l) }()
	t.Cleanup(func() {
		g.Stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return e
}

func (e *estimator) intercept(ctx context.Context, r any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	e.mu.Lock()
	e.methods[info.FullMethod]++
	for _, o := range metadata.ValueFromIncomingContext(ctx, "object") {
		e.objects[o]++
	}
	e.mu.Unlock()
	if e.hang.Load() {
		<-ctx.Done()
		return nil, status.FromContextError(ctx.Err()).Err()
	}
	if e.down.Load() || e.breaks.Add(-1) >= 0 {
		return nil, status.Error(codes.Unavailable, "down")
	}
	return handle(ctx, r)
}

// asked returns how often each method was called since the last time.
func (e *estimator) asked() map[string]int {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := e.methods
	e.methods = map[string]int{}
	return all
}

// connect returns a client of estimators by the names of their clusters, and its clock.
func connect(t *testing.T, timeout time.Duration, all ...*estimator) (*client.Client, *clocktesting.FakePassiveClock) {
	t.Helper()
	clock := clocktesting.NewFakePassiveClock(time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC))
	addresses := map[string]string{"gone": "127.0.0.1:1"}
	for _, e := range all {
		addresses[e.service.Cluster] = e.address
	}
	c := client.New(client.Options{Timeout: timeout, Clock: clock, Addresses: addresses})
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c, clock
}

func replicas(t *testing.T, object, cpu string, limit int32) *pb.Question {
	t.Helper()
	q, err := client.Replicas(object, "", &workv1alpha2.ReplicaRequirements{ResourceRequest: corev1.ResourceList{"cpu": resource.MustParse(cpu)}}, limit)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func questions(t *testing.T) []*pb.Question {
	t.Helper()
	component := workv1alpha2.Component{Name: "a", Replicas: 2, ReplicaRequirements: &workv1alpha2.ComponentReplicaRequirements{ResourceRequest: corev1.ResourceList{"cpu": resource.MustParse("2")}}}
	sets, err := client.Sets("kind=FlinkDeployment, name=team/job", "team", []workv1alpha2.Component{component}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return []*pb.Question{
		replicas(t, "kind=Deployment, name=team/web", "1", 0), sets, replicas(t, "kind=Deployment, name=team/wrong", "-1", 0), replicas(t, "kind=Deployment, name=team/few", "1", 3),
		client.Unschedulable("kind=Deployment, name=team/web", &pb.ObjectReference{ApiVersion: "apps/v1", Kind: "Deployment", Namespace: "team", Name: "web"}, time.Minute),
	}
}

// plain writes answers down, errors by their code.
func plain(answers []client.Answer) []string {
	var all []string
	for _, a := range answers {
		text := fmt.Sprint(a.Count)
		if a.Err != nil {
			text = status.Code(a.Err).String()
		} else if a.Age > 0 {
			text += " of " + a.Age.String()
		}
		all = append(all, text)
	}
	return all
}

func expect(t *testing.T, what string, got []client.Answer, want ...string) {
	t.Helper()
	if d := cmp.Diff(want, plain(got), cmpopts.EquateEmpty()); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

const (
	published = "/github.com.karmada_io.karmada.pkg.estimator.service.Estimator/"
	together  = "/dragoman.estimator.v1.BatchEstimator/Estimate"
)

// TestOneRequestPerCluster asks two clusters, one of which has only the published service.
func TestOneRequestPerCluster(t *testing.T) {
	ours, theirs := start(t, "ours", "8", true), start(t, "theirs", "4", false)
	c, clock := connect(t, time.Minute, ours, theirs)
	ask := func() {
		t.Helper()
		assumed := []*pb.AssumedWorkload{{Components: []*pb.Component{{Replicas: 1, ReplicaRequirements: &pb.ComponentReplicaRequirements{
			ResourceRequestBytes: questions(t)[0].GetReplicas().ResourceRequestBytes,
		}}}}}
		got := c.Estimate(t.Context(), map[string]client.Request{
			"ours": {Questions: questions(t), Assumed: assumed}, "theirs": {Questions: questions(t), Assumed: assumed}, "nothing": {},
		})
		expect(t, "ours", got["ours"], "7", "1", "InvalidArgument", "3", "0")
		expect(t, "theirs", got["theirs"], "3", "0", "InvalidArgument", "3", "0")
		expect(t, "nothing", got["nothing"])
	}
	calls := func(what string, e *estimator, want map[string]int) {
		t.Helper()
		if d := cmp.Diff(want, e.asked()); d != "" {
			t.Errorf("%s (-want +got):\n%s", what, d)
		}
	}
	single := map[string]int{published + "MaxAvailableReplicas": 3, published + "MaxAvailableComponentSets": 1, published + "GetUnschedulableReplicas": 1}
	for range 2 {
		ask()
		calls("ours", ours, map[string]int{together: 1})
		calls("theirs", theirs, single)
	}
	if d := cmp.Diff(map[string]int{
		"kind=Deployment, name=team/web": 4, "kind=FlinkDeployment, name=team/job": 2, "kind=Deployment, name=team/wrong": 2, "kind=Deployment, name=team/few": 2,
	}, theirs.objects); d != "" {
		t.Errorf("objects in the metadata (-want +got):\n%s", d)
	}
	clock.SetTime(clock.Now().Add(11 * time.Minute))
	ask()
	calls("theirs, tried again", theirs, single)
}

// TestOldAnswers has an estimator fail and return.
func TestOldAnswers(t *testing.T) {
	for name, batch := range map[string]bool{"together": true, "singly": false} {
		t.Run(name, func(t *testing.T) {
			e := start(t, "one", "8", batch)
			c, clock := connect(t, time.Minute, e)
			ask := func(what string, want ...string) {
				t.Helper()
				got := c.Estimate(t.Context(), map[string]client.Request{"one": {Questions: []*pb.Question{replicas(t, "a", "1", 0), replicas(t, "b", "4", 0)}}})
				expect(t, what, got["one"], want...)
			}
			later := func(d time.Duration) { clock.SetTime(clock.Now().Add(d)) }
			ask("up", "8", "2")
			e.down.Store(true)
			ask("down", "8 of 1ns", "2 of 1ns")
			got := c.Estimate(t.Context(), map[string]client.Request{"one": {Questions: []*pb.Question{replicas(t, "c", "2", 0)}}})
			expect(t, "never answered", got["one"], "Unavailable")
			later(4 * time.Second)
			e.down.Store(false)
			e.asked()
			ask("paused", "8 of 4s", "2 of 4s")
			if n := len(e.asked()); n > 0 {
				t.Errorf("a paused cluster was asked %d times", n)
			}
			later(time.Second)
			ask("up again", "8", "2")
			e.down.Store(true)
			later(5*time.Minute + time.Second)
			ask("too old", "Unavailable", "Unavailable")
		})
	}
}

// TestBrokenConnection has the connection to an estimator break, which answered the last time: it is
// asked once more. One that failed already is not.
func TestBrokenConnection(t *testing.T) {
	for name, c := range map[string]struct {
		batch  bool
		method string
	}{"together": {true, together}, "singly": {false, published + "MaxAvailableReplicas"}} {
		t.Run(name, func(t *testing.T) {
			e := start(t, "one", "8", c.batch)
			k, clock := connect(t, time.Minute, e)
			ask := func(what string, times int, cpu, want string) {
				t.Helper()
				e.asked()
				got := k.Estimate(t.Context(), map[string]client.Request{"one": {Questions: []*pb.Question{replicas(t, "a", cpu, 0)}}})
				expect(t, what, got["one"], want)
				if n := e.asked()[c.method]; n != times {
					t.Errorf("%s: asked %d times; want %d", what, n, times)
				}
			}
			ask("well", 1, "1", "8")
			e.breaks.Store(1)
			ask("broken once", 2, "2", "4")
			e.breaks.Store(2)
			ask("gone", 2, "4", "Unavailable")
			clock.SetTime(clock.Now().Add(6 * time.Second))
			e.breaks.Store(1)
			ask("gone still", 1, "4", "Unavailable")
			clock.SetTime(clock.Now().Add(6 * time.Second))
			e.breaks.Store(0)
			ask("well again", 1, "4", "2")
		})
	}
}

// TestSlowEstimator has one of two estimators hang.
func TestSlowEstimator(t *testing.T) {
	slow, quick := start(t, "slow", "8", true), start(t, "quick", "8", true)
	slow.hang.Store(true)
	c, _ := connect(t, 2*time.Second, slow, quick)
	ask := func() map[string][]client.Answer {
		r := client.Request{Questions: []*pb.Question{replicas(t, "a", "1", 0)}}
		return c.Estimate(t.Context(), map[string]client.Request{"slow": r, "quick": r, "gone": r})
	}
	got := ask()
	expect(t, "slow", got["slow"], "DeadlineExceeded")
	expect(t, "quick", got["quick"], "8")
	expect(t, "gone", got["gone"], "Unavailable")
	got = ask()
	expect(t, "slow again", got["slow"], "DeadlineExceeded")
	if n := slow.asked()[together]; n != 1 {
		t.Errorf("the slow estimator was asked %d times, want once", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got = c.Estimate(ctx, map[string]client.Request{"quick": {Questions: []*pb.Question{replicas(t, "b", "3", 0)}}})
	expect(t, "a caller that gave up", got["quick"], "Canceled")
	expect(t, "quick for the next", ask()["quick"], "8")
	if err := c.Forget("quick"); err != nil {
		t.Error(err)
	}
	expect(t, "quick after it was forgotten", ask()["quick"], "8")
}
