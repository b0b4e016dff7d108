// SPDX-License-Identifier: Apache-2.0

package template_test

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-base/featuregate"
	"sigs.k8s.io/controller-runtime/pkg/client"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/policy"
	"github.com/dragoman-io/dragoman/controllers/template"
	"github.com/dragoman-io/dragoman/controllers/template/kinds"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

func TestTemplate(t *testing.T) { suite.Specs(t, "template") }

var (
	hub    client.WithWatch
	events = &fixture.Events{}
	gates  = features.New()

	running *suite.Suite
	// deps are those of the controllers of the suite.
	deps controllers.Deps
	// rules are those of this program, of gadgets, and of customizations.
	rules *engine.Interpreter
	// space is the namespace of the spec, and the prefix of its objects without one.
	space string
)

// flink is a kind whose components the embedded bundle interprets.
var flink = schema.GroupVersionKind{Group: "flink.apache.org", Version: "v1beta1", Kind: "FlinkDeployment"}

var _ = BeforeSuite(func(ctx SpecContext) {
	var err error
	running = suite.Begin(ctx)
	hub = running.Client
	for _, crd := range append(fixture.GadgetCRDs(), fixture.Definition(flink, apiextensionsv1.NamespaceScoped)) {
		Expect(suite.Install(ctx, hub, crd)).To(Succeed())
	}
	rules, err = fixture.Interpreter()
	Expect(err).NotTo(HaveOccurred())
	d, err := suite.Customize(ctx, running.Manager, rules)
	Expect(err).NotTo(HaveOccurred())
	d.Gates, d.Events = gates, events
	deps = d
	for _, c := range []controllers.Controller{
		template.New(d), kinds.New(d), policy.New[*policyv1alpha1.PropagationPolicy](d), policy.New[*policyv1alpha1.ClusterPropagationPolicy](d),
	} {
		Expect(c.Register(ctx, running.Manager)).To(Succeed())
	}
	Expect(running.Run()).To(Succeed())
}, NodeTimeout(10*time.Minute))

var _ = BeforeEach(func(ctx SpecContext) {
	var err error
	space, err = running.Namespace(ctx)
	Expect(err).NotTo(HaveOccurred())
})

// without turns a gate off for the rest of the spec.
func without(gate featuregate.Feature) {
	GinkgoHelper()
	Expect(gates.SetFromMap(map[string]bool{string(gate): false})).To(Succeed())
	DeferCleanup(func() { Expect(gates.SetFromMap(map[string]bool{string(gate): true})).To(Succeed()) })
}

// with turns a gate on for the rest of the spec.
func with(gate featuregate.Feature) {
	GinkgoHelper()
	Expect(gates.SetFromMap(map[string]bool{string(gate): true})).To(Succeed())
	DeferCleanup(func() { Expect(gates.SetFromMap(map[string]bool{string(gate): false})).To(Succeed()) })
}

// create creates objects; a policy goes at the end of the spec, so that it selects
// nothing of the next one.
func create(ctx context.Context, objects ...client.Object) {
	GinkgoHelper()
	for _, o := range objects {
		Expect(hub.Create(ctx, o)).To(Succeed())
		if _, policy := o.(policyv1alpha1.Policy); policy {
			DeferCleanup(func(ctx SpecContext) {
				Expect(client.IgnoreNotFound(hub.Delete(ctx, o))).To(Succeed())
				Eventually(gone).WithContext(ctx).WithArguments(o).Should(BeTrue())
			})
		}
	}
}

// serve installs a CRD and waits until discovery has it.
func serve(ctx context.Context, crd *apiextensionsv1.CustomResourceDefinition) {
	GinkgoHelper()
	Expect(suite.Install(ctx, hub, crd)).To(Succeed())
	for _, version := range crd.Spec.Versions {
		kind := schema.GroupKind{Group: crd.Spec.Group, Kind: crd.Spec.Names.Kind}
		Eventually(func() error {
			_, err := hub.RESTMapper().RESTMapping(kind, version.Name)
			return err
		}).WithContext(ctx).Should(Succeed())
	}
}

// seen waits until the controllers of the suite see what there is of some kinds. Each kind has
// a watch of its own, and none waits for another.
func seen(ctx context.Context, lists ...client.ObjectList) {
	GinkgoHelper()
	fixture.CaughtUp(ctx, hub, running.Manager.GetClient(), lists...)
}

// gadget returns a gadget of the spec; that of the wide kind has the name of the spec
// before its own.
func gadget(wide bool, name string, spec map[string]any) *unstructured.Unstructured {
	if wide {
		return fixture.Gadget("", space+"-"+name, spec)
	}
	return fixture.Gadget(space, name, spec)
}

// policyFor returns a policy that selects one object by name.
func policyFor(wide bool, name string, o *unstructured.Unstructured) policyv1alpha1.Policy {
	s := fixture.Named(o.GroupVersionKind(), o.GetName())
	s.Namespace = o.GetNamespace()
	if wide {
		return fixture.Policy("", space+"-"+name, s)
	}
	return fixture.Policy(space, name, s)
}

// bindingOf reads the binding of an object under its plain name.
func bindingOf(o *unstructured.Unstructured) func(context.Context) (workv1alpha2.Binding, error) {
	return bindingNamed(o.GetNamespace(), names.Binding(o.GetKind(), o.GetName()))
}

func bindingNamed(namespace, name string) func(context.Context) (workv1alpha2.Binding, error) {
	return func(ctx context.Context) (workv1alpha2.Binding, error) {
		var b workv1alpha2.Binding = &workv1alpha2.ResourceBinding{}
		if namespace == "" {
			b = &workv1alpha2.ClusterResourceBinding{}
		}
		err := hub.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, b)
		return b, err
	}
}

// bound waits for the binding of an object.
func bound(ctx context.Context, o *unstructured.Unstructured) workv1alpha2.Binding {
	GinkgoHelper()
	return awaitValue(ctx, bindingOf(o))
}

// awaitValue waits until something can be read.
func awaitValue[T any](ctx context.Context, read func(context.Context) (T, error)) T {
	GinkgoHelper()
	var seen T
	Eventually(func(g Gomega) {
		var err error
		seen, err = read(ctx)
		g.Expect(err).NotTo(HaveOccurred())
	}).WithContext(ctx).Should(Succeed())
	return seen
}

// fresh reads an object again.
func fresh[T client.Object](o T) func(context.Context) (T, error) {
	return func(ctx context.Context) (T, error) {
		read := o.DeepCopyObject().(T)
		err := hub.Get(ctx, client.ObjectKeyFromObject(o), read)
		return read, err
	}
}

func gone(ctx context.Context, o client.Object) bool {
	_, err := fresh(o)(ctx)
	return apierrors.IsNotFound(err)
}

// claims returns the labels and annotations of claims that an object has.
func claims(o client.Object) map[string]string {
	all := map[string]string{}
	for _, m := range []map[string]string{o.GetLabels(), o.GetAnnotations()} {
		for _, k := range []string{
			policyv1alpha1.PropagationPolicyPermanentIDLabel, policyv1alpha1.ClusterPropagationPolicyPermanentIDLabel,
			policyv1alpha1.PropagationPolicyNamespaceAnnotation, policyv1alpha1.PropagationPolicyNameAnnotation,
			policyv1alpha1.ClusterPropagationPolicyNameAnnotation,
		} {
			if v, ok := m[k]; ok {
				all[k] = v
			}
		}
	}
	return all
}

// claimsOf reads them again.
func claimsOf(o client.Object) func(context.Context) (map[string]string, error) {
	return func(ctx context.Context) (map[string]string, error) {
		read, err := fresh(o)(ctx)
		return claims(read), err
	}
}

// change changes an object where it is, by a merge patch.
func change[T client.Object](ctx context.Context, o T, by func(T)) {
	GinkgoHelper()
	base, err := fresh(o)(ctx)
	Expect(err).NotTo(HaveOccurred())
	changed := base.DeepCopyObject().(T)
	by(changed)
	Expect(hub.Patch(ctx, changed, client.MergeFrom(client.Object(base)))).To(Succeed())
}

// remove deletes an object and takes its finalizers, as those whose they are would; the
// controllers of the suite may be among these, and be first.
func remove(ctx context.Context, o client.Object) {
	GinkgoHelper()
	Expect(hub.Delete(ctx, o)).To(Succeed())
	none := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
	Expect(client.IgnoreNotFound(hub.Patch(ctx, o.DeepCopyObject().(client.Object), none))).To(Succeed())
}
