// SPDX-License-Identifier: Apache-2.0

package failover_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/component-base/featuregate"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/cluster/failover"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

func TestFailover(t *testing.T) { suite.Specs(t, "cluster failover") }

var (
	running *suite.Suite
	hub     client.WithWatch
	// cached is what the controller reads through.
	cached client.Client
	tmpls  *templates.Templates
	rules  *engine.Interpreter

	// space is the namespace of the spec, and the prefix of its bindings without one.
	space  string
	clock  *clocktesting.FakePassiveClock
	events *fixture.Events
)

var _ = BeforeSuite(func(ctx SpecContext) {
	running = suite.Begin(ctx)
	hub, cached, tmpls = running.Client, running.Manager.GetClient(), templates.New(running.Manager.GetCache())
	rules = running.ServeGadgets(ctx)
	Expect(running.Run()).To(Succeed())
}, NodeTimeout(10*time.Minute))

// Each spec has the control plane for itself, since the pace and the share of unhealthy
// clusters are about all of it.
var _ = BeforeEach(func(ctx SpecContext) {
	space, clock, events = running.NewSpec(ctx)
	DeferCleanup(func(ctx SpecContext) {
		Expect(hub.DeleteAllOf(ctx, &clusterv1alpha1.Cluster{})).To(Succeed())
		Expect(hub.DeleteAllOf(ctx, &policyv1alpha1.ClusterTaintPolicy{})).To(Succeed())
		Expect(hub.DeleteAllOf(ctx, &workv1alpha2.ClusterResourceBinding{})).To(Succeed())
		Expect(hub.DeleteAllOf(ctx, &workv1alpha2.ResourceBinding{}, client.InNamespace(space))).To(Succeed())
	})
})

// later steps the clock.
func later(d time.Duration) { clock.SetTime(clock.Now().Add(d)) }

// join makes ready clusters that serve gadgets.
func join(ctx context.Context, names ...string) {
	GinkgoHelper()
	for _, name := range names {
		cluster := fixture.Cluster(name, fixture.GadgetKind, fixture.WideGadgetKind)
		status := cluster.Status.DeepCopy()
		Expect(hub.Create(ctx, cluster)).To(Succeed())
		before := cluster.DeepCopy()
		cluster.Status = *status
		Expect(hub.Status().Patch(ctx, cluster, client.MergeFrom(before))).To(Succeed())
		ready(ctx, name, metav1.ConditionTrue)
	}
}

// ready writes the Ready condition of a cluster.
func ready(ctx context.Context, name string, status metav1.ConditionStatus) {
	GinkgoHelper()
	Expect(running.Ready(ctx, clusterOf(ctx, name), status)).To(Succeed())
}

func clusterOf(ctx context.Context, name string) *clusterv1alpha1.Cluster {
	GinkgoHelper()
	return read(ctx, &clusterv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: name}})
}

// stopped returns the condition EvictionsStopped of a cluster.
func stopped(ctx context.Context, name string) *metav1.Condition {
	GinkgoHelper()
	return meta.FindStatusCondition(clusterOf(ctx, name).Status.Conditions, clusterv1alpha1.ClusterConditionEvictionsStopped)
}

// down is a NoExecute taint that was added now.
func down() corev1.Taint {
	return corev1.Taint{Key: "down", Effect: corev1.TaintEffectNoExecute, TimeAdded: &metav1.Time{Time: clock.Now()}}
}

// taint sets the taints of a cluster.
func taint(ctx context.Context, name string, taints ...corev1.Taint) {
	GinkgoHelper()
	fixture.Change(ctx, hub, &clusterv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: name}}, func(c *clusterv1alpha1.Cluster) { c.Spec.Taints = taints })
}

// placed makes the binding of a gadget with two replicas on clusters.
func placed[B workv1alpha2.Binding](ctx context.Context, name string, on []string, with ...func(*workv1alpha2.ResourceBindingSpec)) B {
	GinkgoHelper()
	o := fixture.Gadget(space, name, nil)
	if scope.IsWideBinding[B]() {
		o = fixture.Gadget("", space+"-"+name, nil)
	}
	b := fixture.Binding(o)
	b.SetFinalizers(nil)
	for _, cluster := range on {
		b.GetSpec().Clusters = append(b.GetSpec().Clusters, workv1alpha2.TargetCluster{Name: cluster, Replicas: 2})
	}
	for _, w := range with {
		w(b.GetSpec())
	}
	Expect(hub.Create(ctx, b)).To(Succeed())
	return b.(B)
}

// tolerating tolerates the taint down for some seconds.
func tolerating(seconds int64) func(*workv1alpha2.ResourceBindingSpec) {
	return func(s *workv1alpha2.ResourceBindingSpec) {
		s.Placement.ClusterTolerations = []corev1.Toleration{{Key: "down", Operator: "Exists", Effect: "NoExecute", TolerationSeconds: &seconds}}
	}
}

// leaving has the policy say how clusters are left, and which state goes along.
func leaving(mode policyv1alpha1.PurgeMode, state ...policyv1alpha1.StatePreservationRule) func(*workv1alpha2.ResourceBindingSpec) {
	return func(s *workv1alpha2.ResourceBindingSpec) {
		s.Failover = &policyv1alpha1.FailoverBehavior{Cluster: &policyv1alpha1.ClusterFailoverBehavior{PurgeMode: mode}}
		if len(state) > 0 {
			s.Failover.Cluster.StatePreservation = &policyv1alpha1.StatePreservation{Rules: state}
		}
	}
}

// prioritized sets the priority.
func prioritized(n int32) func(*workv1alpha2.ResourceBindingSpec) {
	return func(s *workv1alpha2.ResourceBindingSpec) {
		s.SchedulePriority = &workv1alpha2.SchedulePriority{Priority: n}
	}
}

// report writes how the application is in its clusters; a nil status is none.
func report[B workv1alpha2.Binding](ctx context.Context, b B, health map[string]workv1alpha2.ResourceHealth, status map[string]any) {
	GinkgoHelper()
	before := read(ctx, b)
	changed := before.DeepCopyObject().(B)
	changed.GetStatus().AggregatedStatus = nil
	for cluster, h := range health {
		item := workv1alpha2.AggregatedStatusItem{ClusterName: cluster, Applied: true, Health: h}
		if status != nil {
			raw, err := json.Marshal(status)
			Expect(err).NotTo(HaveOccurred())
			item.Status = &runtime.RawExtension{Raw: raw}
		}
		changed.GetStatus().AggregatedStatus = append(changed.GetStatus().AggregatedStatus, item)
	}
	Expect(hub.Status().Patch(ctx, changed, client.MergeFrom(client.Object(before)))).To(Succeed())
}

// evicting are options that evict, much faster than by default.
func evicting(with ...func(*failover.Options)) failover.Options {
	o := failover.DefaultOptions()
	o.Evict, o.Rate = true, 10
	for _, w := range with {
		w(&o)
	}
	return o
}

// started returns a new controller that knows what there is, and whose first turn has come.
func started(ctx context.Context, o failover.Options) *failover.Controller {
	GinkgoHelper()
	c := failover.New(depsWith(features.New()), o)
	look(ctx, c, failover.Next())
	later(time.Second)
	return c
}

func depsWith(gates featuregate.FeatureGate) base.Deps {
	return base.Deps{Client: cached, Templates: tmpls, Interpreter: rules, Gates: gates, Clock: clock, Events: events}
}

// look has a controller reconcile a request, with all that was written in its cache.
func look(ctx context.Context, c *failover.Controller, r failover.Request) reconcile.Result {
	GinkgoHelper()
	fixture.CaughtUp(ctx, hub, cached, &clusterv1alpha1.ClusterList{}, &workv1alpha2.ResourceBindingList{}, &workv1alpha2.ClusterResourceBindingList{}, &workv1alpha1.WorkList{}, &policyv1alpha1.ClusterTaintPolicyList{})
	result, err := c.Reconcile(ctx, r)
	Expect(err).NotTo(HaveOccurred())
	return result
}

// evictNext has a controller look at what happened to a binding and a cluster, and evict.
func evictNext(ctx context.Context, c *failover.Controller, b client.Object, cluster string) reconcile.Result {
	GinkgoHelper()
	look(ctx, c, failover.AboutCluster(cluster))
	look(ctx, c, failover.AboutBinding(client.ObjectKeyFromObject(b)))
	return look(ctx, c, failover.Next())
}

// read reads an object again.
func read[T client.Object](ctx context.Context, o T) T {
	GinkgoHelper()
	return fixture.Read(ctx, hub, o)
}

// targets returns the names of a binding's targets.
func targets(b workv1alpha2.Binding) []string {
	names := []string{}
	for _, t := range b.GetSpec().Clusters {
		names = append(names, t.Name)
	}
	return names
}
