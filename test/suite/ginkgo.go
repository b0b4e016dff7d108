// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clocktesting "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// Patience is how long specs wait for what must become true. It is no bound of the product: CI
// may be several times as slow as an idle machine, and only a spec that fails waits this long.
const Patience = 3 * time.Minute

// Specs runs the specs of a package in a random order.
func Specs(t *testing.T, name string) {
	RegisterFailHandler(Fail)
	config, reporter := GinkgoConfiguration()
	config.RandomizeAllSpecs = true
	RunSpecs(t, name, config, reporter)
}

// Begin starts a Suite for the specs of a package, and stops it after the last. It is
// called in BeforeSuite; Run is left to the caller. What a spec waits for it may wait for
// with Patience, also with a context: other packages run beside this one.
func Begin(ctx context.Context, members ...string) *Suite {
	GinkgoHelper()
	return beginSpecs(ctx, share, members)
}

// BeginOwn is Begin with servers that nobody else uses after it, for specs that cut them off.
func BeginOwn(ctx context.Context, members ...string) *Suite {
	GinkgoHelper()
	return beginSpecs(ctx, own, members)
}

func beginSpecs(ctx context.Context, source func(context.Context, []string) (*Servers, error), members []string) *Suite {
	GinkgoHelper()
	ctrl.SetLogger(GinkgoLogr)
	EnforceDefaultTimeoutsWhenUsingContexts()
	SetDefaultEventuallyTimeout(Patience)
	SetDefaultEventuallyPollingInterval(50 * time.Millisecond)
	s, err := begin(ctx, source, members)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(s.Stop()).To(Succeed()) })
	return s
}

// OnMember returns a client of the first member, without a cache.
func (s *Suite) OnMember() client.WithWatch {
	GinkgoHelper()
	c, err := client.NewWithWatch(s.Fleet.Members[0].RESTConfig(), client.Options{Scheme: s.Manager.GetScheme()})
	Expect(err).NotTo(HaveOccurred())
	return c
}

// ServeGadgets has the control plane and the first member serve gadgets, and returns an engine with their rules
// and those of this program.
func (s *Suite) ServeGadgets(ctx context.Context) *engine.Interpreter {
	GinkgoHelper()
	servers := []client.WithWatch{s.Client}
	if len(s.Fleet.Members) > 0 {
		servers = append(servers, s.OnMember())
	}
	for _, c := range servers {
		Expect(Install(ctx, c, fixture.GadgetCRDs()...)).To(Succeed())
	}
	return Rules()
}

// NewSpec returns what a spec that calls its controller by itself has of its own: a
// namespace, a clock that only the spec steps, which shows the same time at the start of
// each, and the events of the controller.
func (s *Suite) NewSpec(ctx context.Context) (namespace string, clock *clocktesting.FakePassiveClock, events *fixture.Events) {
	GinkgoHelper()
	namespace, err := s.Namespace(ctx)
	Expect(err).NotTo(HaveOccurred())
	return namespace, clocktesting.NewFakePassiveClock(time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)), &fixture.Events{}
}

// Rules returns an engine with the rules of this program and of gadgets.
func Rules() *engine.Interpreter {
	GinkgoHelper()
	rules, err := fixture.Interpreter()
	Expect(err).NotTo(HaveOccurred())
	return rules
}

// Reports makes the Work of a binding in a cluster, whose state must survive a move, and writes into it that
// the copy there is healthy and has a status. The binding is not told.
func (s *Suite) Reports(ctx context.Context, b workv1alpha2.Binding, cluster string, object *unstructured.Unstructured, status string) {
	GinkgoHelper()
	w := fixture.Work(cluster, b.GetName(), object)
	w.Finalizers = nil
	w.Annotations = map[string]string{
		workv1alpha2.ResourceBindingNamespaceAnnotation: b.GetNamespace(), workv1alpha2.ResourceBindingNameAnnotation: b.GetName(),
	}
	if b.GetNamespace() == "" {
		w.Annotations = map[string]string{workv1alpha2.ClusterResourceBindingNameAnnotation: b.GetName()}
	}
	w.Annotations[workv1alpha2.FailoverAnnotation] = workv1alpha2.FailoverState
	Expect(client.IgnoreAlreadyExists(s.Client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}}))).To(Succeed())
	Expect(s.Client.Create(ctx, w)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(s.Client.Delete(ctx, w))).To(Succeed()) })
	before := w.DeepCopy()
	fixture.SetApplied(w, metav1.ConditionTrue)
	w.Status.ManifestStatuses = []workv1alpha1.ManifestStatus{{
		Identifier: workv1alpha1.ResourceIdentifier{Version: object.GroupVersionKind().Version, Kind: object.GetKind(), Name: object.GetName()},
		Health:     workv1alpha2.ResourceHealthy, Status: &runtime.RawExtension{Raw: []byte(status)},
	}}
	Expect(s.Client.Status().Patch(ctx, w, client.MergeFrom(before))).To(Succeed())
}

// Refuses writes into the Work that Reports made that its cluster refuses the newest manifest. The copy
// there runs on as it was.
func (s *Suite) Refuses(ctx context.Context, b workv1alpha2.Binding, cluster string) {
	GinkgoHelper()
	w := fixture.Work(cluster, b.GetName(), &unstructured.Unstructured{Object: map[string]any{}})
	Expect(s.Client.Get(ctx, client.ObjectKeyFromObject(w), w)).To(Succeed())
	before := w.DeepCopy()
	fixture.SetApplied(w, metav1.ConditionFalse)
	Expect(s.Client.Status().Patch(ctx, w, client.MergeFrom(before))).To(Succeed())
}
