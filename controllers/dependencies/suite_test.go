// SPDX-License-Identifier: Apache-2.0

package dependencies_test

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/controllers/dependencies"
	"github.com/dragoman-io/dragoman/controllers/dependencies/attached"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/policy"
	"github.com/dragoman-io/dragoman/controllers/rendering"
	"github.com/dragoman-io/dragoman/controllers/template"
	"github.com/dragoman-io/dragoman/controllers/template/kinds"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

func TestDependencies(t *testing.T) { suite.Specs(t, "dependencies") }

var (
	hub     client.WithWatch
	events  = &fixture.Events{}
	gates   = features.New()
	running *suite.Suite
	// deps are those of the controllers of the suite.
	deps controllers.Deps
	// space is the namespace of the spec.
	space string
)

// members are the clusters of the suite: nothing runs there.
var members = []string{"a", "b", "c"}

// gadgetRules has gadgets depend on what spec.needs lists.
const gadgetRules = `function GetDependencies(o)
	if o.spec.broken then error("the gadget is broken") end
	return o.spec.needs or {}
end`

var _ = BeforeSuite(func(ctx SpecContext) {
	running = suite.Begin(ctx)
	hub = running.Client
	for _, crd := range fixture.GadgetCRDs() {
		Expect(suite.Install(ctx, hub, crd)).To(Succeed())
	}
	for _, m := range members {
		Expect(hub.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: names.ExecutionSpace(m)}})).To(Succeed())
	}
	for name, kind := range map[string]schema.GroupVersionKind{"gadgets": fixture.GadgetKind, "wide-gadgets": fixture.WideGadgetKind} {
		needs := configv1alpha1.CustomizationRules{DependencyInterpretation: &configv1alpha1.Script{LuaScript: gadgetRules}}
		Expect(hub.Create(ctx, suite.Customization(name, kind, needs))).To(Succeed())
	}
	rules, err := fixture.Interpreter()
	Expect(err).NotTo(HaveOccurred())
	d, err := suite.Customize(ctx, running.Manager, rules)
	Expect(err).NotTo(HaveOccurred())
	d.Gates, d.Events = gates, events
	deps = d
	for _, c := range registered(d) {
		Expect(c.Register(ctx, running.Manager)).To(Succeed())
	}
	Expect(running.Run()).To(Succeed())
	for _, name := range []string{"gadgets", "wide-gadgets"} {
		Eventually(func(g Gomega) {
			cr := &configv1alpha1.ResourceInterpreterCustomization{}
			g.Expect(hub.Get(ctx, client.ObjectKey{Name: name}, cr)).To(Succeed())
			g.Expect(cr.Status.Conditions).To(ContainElement(HaveField("Status", metav1.ConditionTrue)))
		}).WithContext(ctx).Should(Succeed())
	}
}, NodeTimeout(10*time.Minute))

// registered are the controllers of the suite.
func registered(d controllers.Deps) []controllers.Controller {
	return []controllers.Controller{
		template.New(d), kinds.New(d), policy.New[*policyv1alpha1.PropagationPolicy](d), policy.New[*policyv1alpha1.ClusterPropagationPolicy](d),
		rendering.New[*workv1alpha2.ResourceBinding](d), rendering.New[*workv1alpha2.ClusterResourceBinding](d),
		dependencies.New[*workv1alpha2.ResourceBinding](d), dependencies.New[*workv1alpha2.ClusterResourceBinding](d), attached.New(d),
	}
}

var _ = BeforeEach(func(ctx SpecContext) {
	var err error
	space, err = running.Namespace(ctx)
	Expect(err).NotTo(HaveOccurred())
})

var configMap = schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}

// needs is the spec of a gadget that depends on ConfigMaps of the spec by their names.
func needs(maps ...string) map[string]any {
	all := []any{}
	for _, name := range maps {
		all = append(all, map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "namespace": space, "name": name})
	}
	return map[string]any{"needs": all}
}

// selects is the spec of a gadget that depends on the ConfigMaps with a label.
func selects(key, value string) map[string]any {
	return map[string]any{"needs": []any{map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "namespace": space,
		"labelSelector": map[string]any{"matchLabels": map[string]any{key: value}},
	}}}
}

// create creates an object, and its binding in some clusters, which propagates its
// dependencies.
func create(ctx context.Context, o *unstructured.Unstructured, clusters ...string) workv1alpha2.Binding {
	GinkgoHelper()
	Expect(hub.Create(ctx, o)).To(Succeed())
	b := fixture.Binding(o)
	b.GetSpec().PropagateDeps, b.GetSpec().Clusters = true, fixture.Targets(clusters...)
	Expect(hub.Create(ctx, b)).To(Succeed())
	return b
}

// gadget returns a gadget of the spec, whose name is unique where it has no namespace.
func gadget(wide bool, name string, spec map[string]any) *unstructured.Unstructured {
	if wide {
		return fixture.Gadget("", space+"-"+name, spec)
	}
	return fixture.Gadget(space, name, spec)
}

// addConfigMap creates a ConfigMap of the spec.
func addConfigMap(ctx context.Context, name string, labels map[string]string) *unstructured.Unstructured {
	GinkgoHelper()
	o := fixture.Object(configMap, space, name, map[string]any{"data": map[string]any{"k": "v"}})
	o.SetLabels(labels)
	Expect(hub.Create(ctx, o)).To(Succeed())
	return o
}

// attachedOf reads the binding of a ConfigMap.
func attachedOf(name string) func(context.Context) (*workv1alpha2.ResourceBinding, error) {
	return func(ctx context.Context) (*workv1alpha2.ResourceBinding, error) {
		b := &workv1alpha2.ResourceBinding{}
		err := hub.Get(ctx, client.ObjectKey{Namespace: space, Name: name + "-configmap"}, b)
		return b, err
	}
}

// required reads where the binding of a ConfigMap is needed, as "parent: clusters"; nothing
// where it does not exist.
func required(name string) func(context.Context) (map[string][]string, error) {
	return func(ctx context.Context) (map[string][]string, error) {
		b, err := attachedOf(name)(ctx)
		if apierrors.IsNotFound(err) || b.DeletionTimestamp != nil {
			return nil, nil
		}
		all := map[string][]string{}
		for _, s := range b.Spec.RequiredBy {
			for _, t := range s.Clusters {
				all[s.Name] = append(all[s.Name], t.Name)
			}
		}
		return all, err
	}
}

// worksOf lists the clusters that have a Work of a ConfigMap of the spec.
func worksOf(name string) func(context.Context) ([]string, error) {
	return func(ctx context.Context) ([]string, error) {
		return worksOfBinding(ctx, space, name+"-configmap")
	}
}

func worksOfBinding(ctx context.Context, namespace, name string) ([]string, error) {
	return worksThat(ctx, namespace, name, func(*workv1alpha1.Work) bool { return true })
}

func deletingWorks(ctx context.Context, namespace, name string) ([]string, error) {
	return worksThat(ctx, namespace, name, func(w *workv1alpha1.Work) bool { return w.DeletionTimestamp != nil })
}

func preservedWorks(ctx context.Context, namespace, name string) ([]string, error) {
	return worksThat(ctx, namespace, name, func(w *workv1alpha1.Work) bool {
		return w.Spec.PreserveResourcesOnDeletion != nil && *w.Spec.PreserveResourcesOnDeletion
	})
}

func worksThat(ctx context.Context, namespace, name string, holds func(*workv1alpha1.Work) bool) ([]string, error) {
	var all workv1alpha1.WorkList
	if err := hub.List(ctx, &all); err != nil {
		return nil, err
	}
	clusters := []string{}
	for i := range all.Items {
		a := all.Items[i].Annotations
		if a[workv1alpha2.ResourceBindingNamespaceAnnotation] == namespace && a[workv1alpha2.ResourceBindingNameAnnotation] == name && holds(&all.Items[i]) {
			cluster, _ := names.Cluster(all.Items[i].Namespace)
			clusters = append(clusters, cluster)
		}
	}
	return clusters, nil
}

// endWorks ends the deletion of Works as members would.
func endWorks(ctx context.Context) error {
	var all workv1alpha1.WorkList
	if err := hub.List(ctx, &all); err != nil {
		return err
	}
	for i := range all.Items {
		if w := &all.Items[i]; w.DeletionTimestamp != nil && len(w.Finalizers) > 0 {
			base := w.DeepCopy()
			w.Finalizers = nil
			if err := hub.Patch(ctx, w, client.MergeFrom(base)); client.IgnoreNotFound(err) != nil {
				return err
			}
		}
	}
	return nil
}

// change changes an object where it is, by a merge patch.
func change[T client.Object](ctx context.Context, o T, by func(T)) {
	GinkgoHelper()
	fixture.Change(ctx, hub, o, by)
}

// gone reports whether an object does not exist.
func gone(ctx context.Context, o client.Object) bool {
	return apierrors.IsNotFound(hub.Get(ctx, client.ObjectKeyFromObject(o), o.DeepCopyObject().(client.Object)))
}
