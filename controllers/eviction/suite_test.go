// SPDX-License-Identifier: Apache-2.0

package eviction_test

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/eviction"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

func TestEviction(t *testing.T) { suite.Specs(t, "eviction") }

var (
	running *suite.Suite
	hub     client.WithWatch
	// cached is what a controller reads through.
	cached client.Client

	// space is the namespace of the spec, and the prefix of its objects without one.
	space  string
	clock  *clocktesting.FakePassiveClock
	events *fixture.Events
)

var _ = BeforeSuite(func(ctx SpecContext) {
	running = suite.Begin(ctx)
	Expect(running.Run()).To(Succeed())
	hub, cached = running.Client, running.Manager.GetClient()
}, NodeTimeout(10*time.Minute))

var _ = BeforeEach(func(ctx SpecContext) { space, clock, events = running.NewSpec(ctx) })

// later steps the clock.
func later(d time.Duration) { clock.SetTime(clock.Now().Add(d)) }

type task = workv1alpha2.GracefulEvictionTask

// leaving makes a task.
func leaving(cluster string, with ...func(*task)) task {
	t := task{FromCluster: cluster, PurgeMode: "Gracefully", Reason: "ApplicationFailure", Producer: "spec"}
	for _, w := range with {
		w(&t)
	}
	return t
}

func directly(t *task) { t.PurgeMode = "Directly" }

func never(t *task) {
	keep := true
	t.PurgeMode, t.SuppressDeletion = "Never", &keep
}

// bindingMoving makes a binding that goes from clusters to others and is scheduled.
func bindingMoving[B workv1alpha2.Binding](ctx context.Context, to []string, tasks ...task) B {
	GinkgoHelper()
	o := fixture.Gadget(space, "one", nil)
	if scope.IsWideBinding[B]() {
		o = fixture.Gadget("", space+"-one", nil)
	}
	b := fixture.Binding(o)
	b.SetFinalizers(nil)
	b.GetSpec().Clusters, b.GetSpec().GracefulEvictionTasks = fixture.Targets(to...), tasks
	Expect(hub.Create(ctx, b)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(hub.Delete(ctx, b))).To(Succeed()) })
	return b.(B)
}

// report writes how the application is in its clusters, and that the scheduler has
// seen the binding as it is.
func report[B workv1alpha2.Binding](ctx context.Context, b B, health map[string]workv1alpha2.ResourceHealth) {
	GinkgoHelper()
	base := read(ctx, b)
	changed := base.DeepCopyObject().(B)
	changed.GetStatus().SchedulerObservedGeneration = base.GetGeneration()
	changed.GetStatus().AggregatedStatus = nil
	for cluster, h := range health {
		changed.GetStatus().AggregatedStatus = append(changed.GetStatus().AggregatedStatus, workv1alpha2.AggregatedStatusItem{
			ClusterName: cluster, Applied: h != "", Health: h,
		})
	}
	Expect(hub.Status().Patch(ctx, changed, client.MergeFrom(client.Object(base)))).To(Succeed())
}

func controller[B workv1alpha2.Binding]() *eviction.Controller[B] {
	return eviction.New[B](base.Deps{Client: cached, Clock: clock, Events: events, Gates: features.New()}, 0)
}

// reconcileOnce has the controller look at a binding, and returns the binding as it is then.
func reconcileOnce[B workv1alpha2.Binding](ctx context.Context, b B) (B, reconcile.Result) {
	GinkgoHelper()
	fixture.CaughtUp(ctx, hub, cached, &workv1alpha2.ResourceBindingList{}, &workv1alpha2.ClusterResourceBindingList{})
	request := reconcile.Request{NamespacedName: client.ObjectKeyFromObject(b)}
	result, err := reconcile.AsReconciler(cached, controller[B]()).Reconcile(ctx, request)
	Expect(err).NotTo(HaveOccurred())
	return read(ctx, b), result
}

// watch runs the controller in a manager for the rest of the spec.
func watch[B workv1alpha2.Binding]() {
	GinkgoHelper()
	stop, err := running.Manage(map[client.Object]cache.ByObject{
		&workv1alpha2.ResourceBinding{}: {Namespaces: map[string]cache.Config{space: {}}},
	}, func(ctx context.Context, mgr ctrl.Manager) error {
		return eviction.New[B](base.Deps{Client: mgr.GetClient(), Clock: clock, Events: events, Gates: features.New()}, 0).Register(ctx, mgr)
	})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(stop()).To(Succeed()) })
}

// eventsAbout returns the events about a binding.
func eventsAbout(b client.Object) []string { return events.About(b.GetNamespace(), b.GetName()) }

// evictingClusters returns the clusters that a binding leaves.
func evictingClusters(b workv1alpha2.Binding) []string {
	names := []string{}
	for _, t := range b.GetSpec().GracefulEvictionTasks {
		names = append(names, t.FromCluster)
	}
	return names
}

// stamp returns the creation time of the first task.
func stamp(b workv1alpha2.Binding) *metav1.Time {
	return b.GetSpec().GracefulEvictionTasks[0].CreationTimestamp
}

// read reads an object again.
func read[T client.Object](ctx context.Context, o T) T {
	GinkgoHelper()
	return fixture.Read(ctx, hub, o)
}

// change changes an object where it is.
func change[T client.Object](ctx context.Context, o T, by func(T)) {
	GinkgoHelper()
	fixture.Change(ctx, hub, o, by)
}

// refused writes that a cluster does not take its copy.
func refused[B workv1alpha2.Binding](ctx context.Context, b B, cluster, why string) {
	GinkgoHelper()
	before := read(ctx, b)
	changed := before.DeepCopyObject().(B)
	changed.GetStatus().AggregatedStatus = []workv1alpha2.AggregatedStatusItem{{ClusterName: cluster, AppliedMessage: why, Health: workv1alpha2.ResourceUnknown}}
	Expect(hub.Status().Patch(ctx, changed, client.MergeFrom(client.Object(before)))).To(Succeed())
}

// waits returns the condition with what the evictions of a binding wait for, in a line.
func waits(b workv1alpha2.Binding) string {
	c := meta.FindStatusCondition(b.GetStatus().Conditions, workv1alpha2.FailedOver)
	if c == nil {
		return ""
	}
	return c.Reason + ": " + c.Message
}
