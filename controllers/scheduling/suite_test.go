// SPDX-License-Identifier: Apache-2.0

package scheduling_test

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/schedule"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/scheduling"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

func TestScheduling(t *testing.T) { suite.Specs(t, "scheduling") }

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

// name returns the name of a cluster of the spec.
func name(short string) string { return space + "-" + short }

// named returns the metadata of a cluster of the spec.
func named(short string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name(short)} }

// join makes a cluster that serves gadgets; it goes at the end of the spec.
func join(ctx context.Context, short string, with ...func(*clusterv1alpha1.Cluster)) *clusterv1alpha1.Cluster {
	GinkgoHelper()
	c := fixture.Cluster(name(short), fixture.GadgetKind, fixture.WideGadgetKind)
	for _, w := range with {
		w(c)
	}
	status := c.Status
	Expect(hub.Create(ctx, c)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(hub.Delete(ctx, c))).To(Succeed()) })
	c.Status = status
	Expect(hub.Status().Update(ctx, c)).To(Succeed())
	return c
}

// binding makes the binding of a gadget that goes to the clusters of the spec.
func binding[B workv1alpha2.Binding](ctx context.Context, with ...func(workv1alpha2.Binding)) B {
	GinkgoHelper()
	return bindingOf[B](ctx, "one", with...)
}

// bindingOf makes the binding of one of several gadgets.
func bindingOf[B workv1alpha2.Binding](ctx context.Context, gadget string, with ...func(workv1alpha2.Binding)) B {
	GinkgoHelper()
	o := fixture.Gadget(space, gadget, nil)
	if scope.IsWideBinding[B]() {
		o = fixture.Gadget("", space+"-"+gadget, nil)
	}
	b := fixture.Binding(o)
	b.SetFinalizers(nil)
	for _, w := range with {
		w(b)
	}
	Expect(hub.Create(ctx, b)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(hub.Delete(ctx, b))).To(Succeed()) })
	return b.(B)
}

// controller returns one that reads through the cache.
func controller[B workv1alpha2.Binding]() *scheduling.Controller[B] {
	return scheduling.New[B](base.Deps{Client: cached, Clock: clock, Events: events}, &schedule.Assumptions{})
}

// manage runs a manager with the controller, which sees the bindings of the spec's
// namespace, until the end of the spec. It returns the client that it reads through.
func manage[B workv1alpha2.Binding]() (through client.Client) {
	GinkgoHelper()
	stop, err := running.Manage(map[client.Object]cache.ByObject{
		&workv1alpha2.ResourceBinding{}: {Namespaces: map[string]cache.Config{space: {}}},
	}, func(ctx context.Context, mgr ctrl.Manager) error {
		through = mgr.GetClient()
		d := base.Deps{Client: through, Clock: clock, Events: events}
		return scheduling.New[B](d, &schedule.Assumptions{}).Register(ctx, mgr)
	})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(stop()).To(Succeed()) })
	return through
}

// decided has the controller look at a binding, and returns the binding as it is then.
func decided[B workv1alpha2.Binding](ctx context.Context, b B) (B, reconcile.Result) {
	GinkgoHelper()
	fixture.CaughtUp(ctx, hub, cached, &workv1alpha2.ResourceBindingList{}, &workv1alpha2.ClusterResourceBindingList{}, &clusterv1alpha1.ClusterList{})
	request := reconcile.Request{NamespacedName: client.ObjectKeyFromObject(b)}
	result, err := reconcile.AsReconciler(cached, controller[B]()).Reconcile(ctx, request)
	Expect(err).NotTo(HaveOccurred())
	return read(ctx, b), result
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

// targets returns the clusters of a binding, under their short names.
func targets(b workv1alpha2.Binding) map[string]int32 {
	all := map[string]int32{}
	for _, t := range b.GetSpec().Clusters {
		all[t.Name[len(space)+1:]] = t.Replicas
	}
	return all
}

// scheduled returns the Scheduled condition of a binding.
func scheduled(b workv1alpha2.Binding) metav1.Condition {
	GinkgoHelper()
	for _, c := range b.GetStatus().Conditions {
		if c.Type == workv1alpha2.Scheduled {
			return c
		}
	}
	Fail("there is no Scheduled condition")
	return metav1.Condition{}
}
