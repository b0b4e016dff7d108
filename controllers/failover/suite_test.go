// SPDX-License-Identifier: Apache-2.0

package failover_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/component-base/featuregate"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/failover"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

func TestFailover(t *testing.T) { suite.Specs(t, "failover") }

var (
	running *suite.Suite
	hub     client.WithWatch
	// onMember is a direct client of the one member.
	onMember client.WithWatch
	// cached is what a controller reads through, templates what it reads templates by.
	cached client.Client
	tmpls  *templates.Templates
	rules  *engine.Interpreter

	// space is the namespace of the spec, and the prefix of its objects without one.
	space  string
	clock  *clocktesting.FakePassiveClock
	events *fixture.Events
)

var _ = BeforeSuite(func(ctx SpecContext) {
	running = suite.Begin(ctx, "one")
	hub, cached, tmpls = running.Client, running.Manager.GetClient(), templates.New(running.Manager.GetCache())
	onMember, rules = running.OnMember(), running.ServeGadgets(ctx)
	Expect(running.Run()).To(Succeed())
}, NodeTimeout(10*time.Minute))

var _ = BeforeEach(func(ctx SpecContext) { space, clock, events = running.NewSpec(ctx) })

// later steps the clock.
func later(d time.Duration) { clock.SetTime(clock.Now().Add(d)) }

// without returns gates of which one is off.
func without(gate featuregate.Feature) featuregate.FeatureGate {
	GinkgoHelper()
	gates := features.New()
	Expect(gates.SetFromMap(map[string]bool{string(gate): false})).To(Succeed())
	return gates
}

// bound makes a gadget of two replicas with its binding, placed on clusters, that
// moves after a minute.
func bound[B workv1alpha2.Binding](ctx context.Context, o *unstructured.Unstructured, on []string, with ...func(*policyv1alpha1.ApplicationFailoverBehavior)) B {
	GinkgoHelper()
	Expect(hub.Create(ctx, o)).To(Succeed())
	Eventually(func() error {
		_, err := tmpls.Get(ctx, templates.KeyOf(o))
		return err
	}).Should(Succeed())
	b := fixture.Binding(o)
	b.SetFinalizers(nil)
	toleration := int32(60)
	behavior := &policyv1alpha1.ApplicationFailoverBehavior{
		DecisionConditions: policyv1alpha1.DecisionConditions{TolerationSeconds: &toleration}, PurgeMode: policyv1alpha1.PurgeModeDirectly,
	}
	for _, w := range with {
		w(behavior)
	}
	b.GetSpec().Failover = &policyv1alpha1.FailoverBehavior{Application: behavior}
	for _, cluster := range on {
		b.GetSpec().Clusters = append(b.GetSpec().Clusters, workv1alpha2.TargetCluster{Name: cluster, Replicas: 2})
	}
	Expect(hub.Create(ctx, b)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) {
		for _, left := range []client.Object{b, o} {
			Expect(client.IgnoreNotFound(hub.Delete(ctx, left))).To(Succeed())
		}
	})
	return b.(B)
}

// gadget returns a gadget of the spec, of the wide kind for wide bindings.
func gadget[B workv1alpha2.Binding](spec map[string]any) *unstructured.Unstructured {
	if scope.IsWideBinding[B]() {
		return fixture.Gadget("", space+"-one", spec)
	}
	return fixture.Gadget(space, "one", spec)
}

// report writes how the application is in a cluster, as the status controller does. A
// nil status is none.
func report[B workv1alpha2.Binding](ctx context.Context, b B, cluster string, health workv1alpha2.ResourceHealth, status map[string]any) {
	GinkgoHelper()
	base := read(ctx, b)
	changed := base.DeepCopyObject().(B)
	item := workv1alpha2.AggregatedStatusItem{ClusterName: cluster, Applied: true, Health: health}
	if status != nil {
		raw, err := json.Marshal(status)
		Expect(err).NotTo(HaveOccurred())
		item.Status = &runtime.RawExtension{Raw: raw}
	}
	var others []workv1alpha2.AggregatedStatusItem
	for _, other := range base.GetStatus().AggregatedStatus {
		if other.ClusterName != cluster {
			others = append(others, other)
		}
	}
	changed.GetStatus().AggregatedStatus = append(others, item)
	Expect(hub.Status().Patch(ctx, changed, client.MergeFrom(client.Object(base)))).To(Succeed())
}

// reconcileOnce has a new controller look at a binding, and returns the binding as it is then.
func reconcileOnce[B workv1alpha2.Binding](ctx context.Context, b B, gates featuregate.FeatureGate) (B, reconcile.Result, error) {
	GinkgoHelper()
	fixture.CaughtUp(ctx, hub, cached, &workv1alpha2.ResourceBindingList{}, &workv1alpha2.ClusterResourceBindingList{}, &workv1alpha1.WorkList{})
	request := reconcile.Request{NamespacedName: client.ObjectKeyFromObject(b)}
	result, err := reconcile.AsReconciler(cached, controller[B](gates)).Reconcile(ctx, request)
	return read(ctx, b), result, err
}

// reconciled is look with all gates on and no failure.
func reconciled[B workv1alpha2.Binding](ctx context.Context, b B) (B, reconcile.Result) {
	GinkgoHelper()
	after, result, err := reconcileOnce(ctx, b, features.New())
	Expect(err).NotTo(HaveOccurred())
	return after, result
}

func controller[B workv1alpha2.Binding](gates featuregate.FeatureGate) *failover.Controller[B] {
	return failover.New[B](base.Deps{Client: cached, Templates: tmpls, Interpreter: rules, Gates: gates, Clock: clock, Events: events})
}

// eventsAbout returns the events about a binding.
func eventsAbout(b client.Object) []string { return events.About(b.GetNamespace(), b.GetName()) }

// since returns when the clusters of a binding became unhealthy.
func since(b client.Object) map[string]time.Time {
	GinkgoHelper()
	text, there := b.GetAnnotations()[binding.UnhealthySinceAnnotation]
	if !there {
		return nil
	}
	all := map[string]time.Time{}
	Expect(json.Unmarshal([]byte(text), &all)).To(Succeed())
	return all
}

// tasks returns the tasks of a binding by cluster, without their creation time.
func tasks(b workv1alpha2.Binding) map[string]workv1alpha2.GracefulEvictionTask {
	all := map[string]workv1alpha2.GracefulEvictionTask{}
	for _, t := range b.GetSpec().GracefulEvictionTasks {
		all[t.FromCluster] = t
	}
	return all
}

// clusters returns the names of a binding's targets.
func clusters(b workv1alpha2.Binding) []string {
	names := []string{}
	for _, t := range b.GetSpec().Clusters {
		names = append(names, t.Name)
	}
	return names
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

// mode sets the purge mode of a behaviour.
func mode(m policyv1alpha1.PurgeMode) func(*policyv1alpha1.ApplicationFailoverBehavior) {
	return func(b *policyv1alpha1.ApplicationFailoverBehavior) { b.PurgeMode = m }
}

// keeps adds a rule of what to preserve.
func keeps(alias, path string) func(*policyv1alpha1.ApplicationFailoverBehavior) {
	return func(b *policyv1alpha1.ApplicationFailoverBehavior) {
		if b.StatePreservation == nil {
			b.StatePreservation = &policyv1alpha1.StatePreservation{}
		}
		b.StatePreservation.Rules = append(b.StatePreservation.Rules, policyv1alpha1.StatePreservationRule{AliasLabelName: alias, JSONPath: path})
	}
}

// tolerating sets the toleration.
func tolerating(seconds int32) func(*policyv1alpha1.ApplicationFailoverBehavior) {
	return func(b *policyv1alpha1.ApplicationFailoverBehavior) { b.DecisionConditions.TolerationSeconds = &seconds }
}
