// SPDX-License-Identifier: Apache-2.0

// Package federatedquota_test runs the controllers that a workload passes through until it is
// rendered, with quotas enforced.
package federatedquota_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/controllers/decide/schedule"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/federatedquota/assignment"
	"github.com/dragoman-io/dragoman/controllers/federatedquota/status"
	"github.com/dragoman-io/dragoman/controllers/namespace"
	"github.com/dragoman-io/dragoman/controllers/policy"
	"github.com/dragoman-io/dragoman/controllers/rendering"
	"github.com/dragoman-io/dragoman/controllers/scheduling"
	"github.com/dragoman-io/dragoman/controllers/template"
	"github.com/dragoman-io/dragoman/controllers/template/kinds"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

func TestFederatedQuota(t *testing.T) { suite.Specs(t, "federated quota") }

var (
	running *suite.Suite
	hub     client.WithWatch
	events  = &fixture.Events{}
	// space is the namespace of the spec.
	space string
)

// flink and deployments are kinds of workloads.
var (
	flink       = schema.GroupVersionKind{Group: "flink.apache.org", Version: "v1beta1", Kind: "FlinkDeployment"}
	deployments = appsv1.SchemeGroupVersion.WithKind("Deployment")
)

var _ = BeforeSuite(func(ctx SpecContext) {
	running = suite.Begin(ctx)
	hub = running.Client
	Expect(suite.Install(ctx, hub, fixture.Definition(flink, apiextensionsv1.NamespaceScoped))).To(Succeed())
	gates := features.New()
	Expect(gates.SetFromMap(map[string]bool{string(features.FederatedQuotaEnforcement): true})).To(Succeed())
	d, err := controllers.NewDeps(running.Manager, controllers.Environment{Interpreter: suite.Rules(), Gates: gates})
	Expect(err).NotTo(HaveOccurred())
	d.Events = events
	for _, c := range []controllers.Controller{
		template.New(d), kinds.New(d), policy.New[*policyv1alpha1.PropagationPolicy](d), policy.New[*policyv1alpha1.ClusterPropagationPolicy](d),
		scheduling.New[*workv1alpha2.ResourceBinding](d, &schedule.Assumptions{}), rendering.New[*workv1alpha2.ResourceBinding](d),
		namespace.New(d, namespace.Options{}), status.New(d), assignment.New(d),
	} {
		Expect(c.Register(ctx, running.Manager)).To(Succeed())
	}
	Expect(running.Run()).To(Succeed())
	join(ctx, "one")
	join(ctx, "two")
}, NodeTimeout(10*time.Minute))

var _ = BeforeEach(func(ctx SpecContext) {
	var err error
	space, err = running.Namespace(ctx)
	Expect(err).NotTo(HaveOccurred())
})

// join makes a cluster and its execution namespace.
func join(ctx context.Context, name string) *clusterv1alpha1.Cluster {
	GinkgoHelper()
	n := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: names.ExecutionSpace(name)}}
	Expect(client.IgnoreAlreadyExists(hub.Create(ctx, n))).To(Succeed())
	c := fixture.Cluster(name, deployments, flink, corev1.SchemeGroupVersion.WithKind("ConfigMap"))
	status := c.Status
	Expect(hub.Create(ctx, c)).To(Succeed())
	c.Status = status
	Expect(hub.Status().Update(ctx, c)).To(Succeed())
	return c
}

// resources returns a list from pairs of name and quantity.
func resources(pairs ...string) corev1.ResourceList {
	list := corev1.ResourceList{}
	for i := 0; i < len(pairs); i += 2 {
		list[corev1.ResourceName(pairs[i])] = resource.MustParse(pairs[i+1])
	}
	return list
}

// limit makes a quota of the namespace.
func limit(ctx context.Context, name string, overall ...string) *policyv1alpha1.FederatedResourceQuota {
	GinkgoHelper()
	q := &policyv1alpha1.FederatedResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: name}}
	q.Spec.Overall = resources(overall...)
	Expect(hub.Create(ctx, q)).To(Succeed())
	Eventually(func(g Gomega) {
		seen := &policyv1alpha1.FederatedResourceQuota{}
		g.Expect(hub.Get(ctx, client.ObjectKeyFromObject(q), seen)).To(Succeed())
		g.Expect(seen.Status.Overall).NotTo(BeEmpty(), "the cache has it")
	}).WithContext(ctx).Should(Succeed())
	return q
}

// overallUsed returns what a quota says is used, as it is written there.
func overallUsed(ctx context.Context, q *policyv1alpha1.FederatedResourceQuota) (map[string]string, error) {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(policyv1alpha1.GroupVersion.WithKind("FederatedResourceQuota"))
	err := hub.Get(ctx, client.ObjectKeyFromObject(q), u)
	used, _, _ := unstructured.NestedStringMap(u.Object, "status", "overallUsed")
	return used, err
}

// place has the Deployments of the spec go to cluster one, divided, or copied to these.
func place(ctx context.Context, kind schema.GroupVersionKind, copiedTo ...string) *policyv1alpha1.PropagationPolicy {
	GinkgoHelper()
	p := fixture.Policy(space, "all", fixture.All(kind)).(*policyv1alpha1.PropagationPolicy)
	p.Spec.Placement.ClusterAffinity = &policyv1alpha1.ClusterAffinity{ClusterNames: []string{"one"}}
	if len(copiedTo) > 0 {
		p.Spec.Placement.ClusterAffinity.ClusterNames = copiedTo
	} else {
		p.Spec.Placement.ReplicaScheduling = &policyv1alpha1.ReplicaSchedulingStrategy{
			ReplicaSchedulingType: policyv1alpha1.ReplicaSchedulingTypeDivided, ReplicaDivisionPreference: policyv1alpha1.ReplicaDivisionPreferenceWeighted,
		}
	}
	Expect(hub.Create(ctx, p)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(hub.Delete(ctx, p))).To(Succeed()) })
	return p
}

// deploy makes a Deployment whose replicas request so much CPU.
func deploy(ctx context.Context, name string, replicas int32, cpu string) *appsv1.Deployment {
	GinkgoHelper()
	d := fixture.Nginx(space, replicas)
	d.Name = name
	d.Spec.Template.Spec.Containers[0].Resources.Requests = resources("cpu", cpu)
	Expect(hub.Create(ctx, d)).To(Succeed())
	return d
}

// bindingOf reads the binding of a workload.
func bindingOf(ctx context.Context, g Gomega, kind, name string) *workv1alpha2.ResourceBinding {
	b := &workv1alpha2.ResourceBinding{}
	g.Expect(hub.Get(ctx, client.ObjectKey{Namespace: space, Name: names.Binding(kind, name)}, b)).To(Succeed())
	return b
}

// targets expects the clusters of a Deployment, each as "name:replicas".
func targets(ctx context.Context, name string, want ...string) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		g.Expect(fixture.TargetsOf(bindingOf(ctx, g, "Deployment", name))).To(ConsistOf(want))
	}).Should(Succeed())
}

// condition returns a condition of the binding of a workload; nil if it has none.
func condition(ctx context.Context, g Gomega, kind, name, of string) *metav1.Condition {
	return meta.FindStatusCondition(bindingOf(ctx, g, kind, name).Status.Conditions, of)
}

// refused expects that a Deployment is not placed as it is wanted, with a message.
func refused(ctx context.Context, name, message string) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		c := condition(ctx, g, "Deployment", name, workv1alpha2.Scheduled)
		g.Expect(c).NotTo(BeNil())
		g.Expect(c.Status).To(Equal(metav1.ConditionFalse))
		g.Expect(c.Reason).To(Equal("QuotaExceeded"))
		g.Expect(c.Message).To(Equal(message))
	}).Should(Succeed())
}

// rendered returns what a cluster gets of a workload.
func rendered(ctx context.Context, g Gomega, cluster, kind, name string) *unstructured.Unstructured {
	w, m := &workv1alpha1.Work{}, &unstructured.Unstructured{}
	g.Expect(hub.Get(ctx, client.ObjectKey{Namespace: names.ExecutionSpace(cluster), Name: names.Work(kind, space, name)}, w)).To(Succeed())
	g.Expect(m.UnmarshalJSON(w.Spec.Workload.Manifests[0].Raw)).To(Succeed())
	return m
}

// change changes an object where it is.
func change[T client.Object](ctx context.Context, o T, by func(T)) {
	GinkgoHelper()
	fixture.Change(ctx, hub, o, by)
}

// placed returns the names of the Deployments of the spec that are placed, sorted.
func placed(ctx context.Context, g Gomega) []string {
	var list workv1alpha2.ResourceBindingList
	g.Expect(hub.List(ctx, &list, client.InNamespace(space))).To(Succeed())
	var all []string
	for i := range list.Items {
		if len(list.Items[i].Spec.Clusters) > 0 {
			all = append(all, list.Items[i].Spec.Resource.Name)
		}
	}
	slices.Sort(all)
	return all
}

// exceeded returns the message of one quota and resource.
func exceeded(name, resource, asked, left, hard string) string {
	return fmt.Sprintf("FederatedResourceQuota(%s/%s) exceeded for resource %s: asked for %s more, %s of %s left", space, name, resource, asked, left, hard)
}
