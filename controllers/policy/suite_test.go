// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/transport"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/controllers/policy"
	"github.com/dragoman-io/dragoman/controllers/template"
	"github.com/dragoman-io/dragoman/controllers/template/kinds"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/test/suite"
)

func TestPolicy(t *testing.T) { suite.Specs(t, "policy") }

var (
	control *suite.Suite
	hub     client.WithWatch
	rules   *engine.Interpreter
	// space is the namespace of the spec; no manager sees the policies of another.
	space string
)

var _ = BeforeSuite(func(ctx SpecContext) {
	control = suite.Begin(ctx)
	hub = control.Client
	rules = control.ServeGadgets(ctx)
}, NodeTimeout(10*time.Minute))

var _ = BeforeEach(func(ctx SpecContext) {
	var err error
	space, err = control.Namespace(ctx)
	Expect(err).NotTo(HaveOccurred())
})

// The manager of the next spec sees the templates of all namespaces, and not their
// policies: it would release them.
var _ = AfterEach(func(ctx SpecContext) {
	Expect(hub.DeleteAllOf(ctx, gadget(""), client.InNamespace(space))).To(Succeed())
})

// start starts a manager with the controllers of policies and templates. It returns their
// dependencies, and what stops the manager, which happens at the end of the spec if not
// before.
func start(change func(*controllers.Deps), wrappers ...transport.WrapperFunc) (controllers.Deps, func()) {
	GinkgoHelper()
	var d controllers.Deps
	only := map[client.Object]cache.ByObject{&policyv1alpha1.PropagationPolicy{}: {Namespaces: map[string]cache.Config{space: {}}}}
	stop, err := control.Manage(only, func(ctx context.Context, mgr ctrl.Manager) (err error) {
		if d, err = controllers.NewDeps(mgr, controllers.Environment{Interpreter: rules}); err != nil {
			return err
		}
		if change != nil {
			change(&d)
		}
		for _, c := range []controllers.Controller{
			template.New(d), kinds.New(d), policy.New[*policyv1alpha1.PropagationPolicy](d), policy.New[*policyv1alpha1.ClusterPropagationPolicy](d),
		} {
			if err := c.Register(ctx, mgr); err != nil {
				return err
			}
		}
		return nil
	}, wrappers...)
	Expect(err).NotTo(HaveOccurred())
	running := true
	end := func() {
		if running {
			running = false
			Expect(stop()).To(Succeed())
		}
	}
	DeferCleanup(end)
	return d, end
}

func create(ctx context.Context, objects ...client.Object) {
	GinkgoHelper()
	for _, o := range objects {
		Expect(hub.Create(ctx, o)).To(Succeed())
	}
}

// bound waits for the binding of an object.
func bound(ctx context.Context, o *unstructured.Unstructured) *workv1alpha2.ResourceBinding {
	GinkgoHelper()
	b := &workv1alpha2.ResourceBinding{}
	Eventually(func() error { return hub.Get(ctx, bindingKey(o), b) }).WithContext(ctx).Should(Succeed())
	return b
}

func bindingKey(o *unstructured.Unstructured) client.ObjectKey {
	return client.ObjectKey{Namespace: o.GetNamespace(), Name: names.Binding(o.GetKind(), o.GetName())}
}

// prepared waits until a policy has its finalizer.
func prepared(ctx context.Context, p policyv1alpha1.Policy) {
	GinkgoHelper()
	Eventually(func() ([]string, error) {
		err := hub.Get(ctx, client.ObjectKeyFromObject(p), p)
		return p.GetFinalizers(), err
	}).WithContext(ctx).ShouldNot(BeEmpty())
}

// atRest waits until a count has stood still for a second: what came before is through.
func atRest(ctx context.Context, count func() float64) {
	GinkgoHelper()
	last, since := count(), time.Now()
	Eventually(func() time.Duration {
		if n := count(); n != last {
			last, since = n, time.Now()
		}
		return time.Since(since)
	}).WithContext(ctx).Should(BeNumerically(">", time.Second))
}

// counter returns the value of a metric of a controller.
func counter(name, controller string) float64 {
	GinkgoHelper()
	families, err := metrics.Registry.Gather()
	Expect(err).NotTo(HaveOccurred())
	sum := 0.0
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() != name {
				continue
			}
			for _, l := range m.GetLabel() {
				if l.GetName() == "controller" && l.GetValue() == controller {
					sum += m.GetCounter().GetValue()
				}
			}
		}
	}
	return sum
}

// serve installs the CRD of a kind and waits until it is served, also where the client knows
// the kind from a CRD that is gone.
func serve(ctx context.Context, crd *apiextensionsv1.CustomResourceDefinition) {
	GinkgoHelper()
	Expect(suite.Install(ctx, hub, crd)).To(Succeed())
	all := &unstructured.UnstructuredList{}
	all.SetAPIVersion(crd.Spec.Group + "/" + crd.Spec.Versions[0].Name)
	all.SetKind(crd.Spec.Names.ListKind)
	Eventually(func() error { return hub.List(ctx, all) }).WithContext(ctx).Should(Succeed())
}
