// SPDX-License-Identifier: Apache-2.0

package rebalancer_test

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	appsv1alpha1 "github.com/dragoman-io/dragoman/api/apps/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/rebalancer"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

func TestRebalancer(t *testing.T) { suite.Specs(t, "rebalancer") }

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

var _ = BeforeEach(func(ctx SpecContext) {
	space, clock, events = running.NewSpec(ctx)
	// The time of a creation is that of the API server, so the specs begin there.
	clock = clocktesting.NewFakePassiveClock(time.Now().Truncate(time.Second).Add(time.Hour))
})

// later steps the clock.
func later(d time.Duration) { clock.SetTime(clock.Now().Add(d)) }

// gadget refers to a gadget of the spec.
func gadget(name string) appsv1alpha1.ObjectReference {
	return appsv1alpha1.ObjectReference{APIVersion: "spec.dragoman.io/v1", Kind: "Gadget", Namespace: space, Name: name}
}

// wideGadget refers to a gadget of the spec without a namespace.
func wideGadget(name string) appsv1alpha1.ObjectReference {
	return appsv1alpha1.ObjectReference{APIVersion: "spec.dragoman.io/v1", Kind: "WideGadget", Name: space + "-" + name}
}

// bound makes the binding of a workload, which was scheduled at a time.
func bound(ctx context.Context, w appsv1alpha1.ObjectReference, scheduled time.Time, with ...func(workv1alpha2.Binding)) workv1alpha2.Binding {
	GinkgoHelper()
	b := fixture.Binding(fixture.Gadget(w.Namespace, w.Name, nil))
	b.SetFinalizers(nil)
	b.GetSpec().Clusters = fixture.Targets("member1")
	for _, change := range with {
		change(b)
	}
	Expect(hub.Create(ctx, b)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(hub.Delete(ctx, b))).To(Succeed()) })
	schedule(ctx, b, scheduled)
	return b
}

// schedule records that a binding was scheduled at a time.
func schedule(ctx context.Context, b workv1alpha2.Binding, at time.Time) {
	GinkgoHelper()
	base := fixture.Read(ctx, hub, b)
	changed := base.DeepCopyObject().(workv1alpha2.Binding)
	changed.GetStatus().LastScheduledTime = &metav1.Time{Time: at}
	Expect(hub.Status().Patch(ctx, changed, client.MergeFrom(client.Object(base)))).To(Succeed())
}

// rebalance makes a rebalancer of workloads.
func rebalance(ctx context.Context, workloads ...appsv1alpha1.ObjectReference) *appsv1alpha1.WorkloadRebalancer {
	GinkgoHelper()
	r := &appsv1alpha1.WorkloadRebalancer{ObjectMeta: metav1.ObjectMeta{Name: space}}
	r.Spec.Workloads = workloads
	Expect(hub.Create(ctx, r)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(hub.Delete(ctx, r))).To(Succeed()) })
	return r
}

// reconcileOnce has the controller look at a rebalancer.
func reconcileOnce(ctx context.Context, r *appsv1alpha1.WorkloadRebalancer) reconcile.Result {
	GinkgoHelper()
	caughtUp(ctx)
	return reconcileWith(ctx, cached, r)
}

func reconcileWith(ctx context.Context, c client.Client, r *appsv1alpha1.WorkloadRebalancer) reconcile.Result {
	GinkgoHelper()
	controller := rebalancer.New(base.Deps{Client: c, Clock: clock, Events: events})
	request := reconcile.Request{NamespacedName: client.ObjectKeyFromObject(r)}
	result, err := reconcile.AsReconciler(c, controller).Reconcile(ctx, request)
	Expect(err).NotTo(HaveOccurred())
	return result
}

// caughtUp waits until the cache holds what the API server holds.
func caughtUp(ctx context.Context) {
	GinkgoHelper()
	fixture.CaughtUp(ctx, hub, cached, &workv1alpha2.ResourceBindingList{}, &workv1alpha2.ClusterResourceBindingList{}, &appsv1alpha1.WorkloadRebalancerList{})
}

// manage runs the controller in a manager for the rest of the spec, and returns the client
// that it reads through.
func manage() (through client.Client) {
	GinkgoHelper()
	stop, err := running.Manage(nil, func(ctx context.Context, mgr ctrl.Manager) error {
		through = mgr.GetClient()
		return rebalancer.New(base.Deps{Client: mgr.GetClient(), Clock: clock, Events: events}).Register(ctx, mgr)
	})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(stop()).To(Succeed()) })
	return through
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
