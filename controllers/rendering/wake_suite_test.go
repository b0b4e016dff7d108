// SPDX-License-Identifier: Apache-2.0

package rendering_test

import (
	"context"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/rendering"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

var (
	_ = describeWatches[*workv1alpha2.ResourceBinding]("a ResourceBinding")
	_ = describeWatches[*workv1alpha2.ClusterResourceBinding]("a ClusterResourceBinding")
)

// watched runs a manager with the controller until the spec ends, and returns the list of
// its requests.
func watched[B workv1alpha2.Binding]() *suite.Requests {
	GinkgoHelper()
	requests := &suite.Requests{}
	stop, err := running.Manage(map[client.Object]cache.ByObject{
		&workv1alpha2.ResourceBinding{}: {Namespaces: map[string]cache.Config{space: {}}},
	}, func(ctx context.Context, mgr ctrl.Manager) error {
		d, err := suite.Customize(ctx, mgr, rules)
		if err != nil {
			return err
		}
		d.Events = events
		return rendering.New[B](d).Register(ctx, mgr)
	}, requests.Wrap)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(stop()).To(Succeed()) })
	return requests
}

// has waits until the binding has a Work for a cluster, and returns it.
func (p *pair[B]) has(ctx context.Context, cluster string) workv1alpha1.Work {
	GinkgoHelper()
	Eventually(func() map[string]workv1alpha1.Work { return p.works(ctx) }).Should(HaveKey(cluster))
	return p.works(ctx)[cluster]
}

// member creates the execution namespace of a cluster that only this spec knows.
func member(ctx context.Context) string {
	GinkgoHelper()
	Expect(hub.Create(ctx, executionSpace(space))).To(Succeed())
	return space
}

func executionSpace(cluster string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: names.ExecutionSpace(cluster)}}
}

// describeWatches are the specs of one kind of binding whose subject is a watch.
func describeWatches[B workv1alpha2.Binding](kind string) bool {
	return Describe(kind+" that a manager watches", func() {
		It("costs one request for each Work", func(ctx SpecContext) {
			requests := watched[B]()
			p := placed[B](ctx, "a")
			p.has(ctx, "a")
			p.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) {
				s.Clusters = append(s.Clusters, s.Clusters[0])
				s.Clusters[1].Name = "b"
			})
			p.has(ctx, "b")
			// What came before is through once the next is.
			later := placedAs[B](ctx, "later", "c")
			later.has(ctx, "c")
			var want []any
			for _, cluster := range []string{"a", "b", "c"} {
				want = append(want, HaveSuffix("/namespaces/karmada-es-"+cluster+"/works"))
				if !wide[B]() { // the first of its namespace comes with that
					want = append(want, want[len(want)-1])
				}
			}
			Expect(requests.Made("POST")).To(HaveExactElements(want...))
			Expect(requests.Made("PATCH")).To(BeEmpty())
			Expect(requests.Made("PUT")).To(BeEmpty())
			Expect(requests.Made("GET", "karmada.io")).To(BeEmpty(), "all is read from the cache")
		})

		It("has its Work as soon as the namespace of the cluster is there", func(ctx SpecContext) {
			watched[B]()
			p := placed[B](ctx, space)
			Eventually(p.failed).WithContext(ctx).Should(And(
				HaveField("Reason", "NamespaceUnavailable"), HaveField("Message", ContainSubstring("karmada-es-"+space))))
			member(ctx)
			p.has(ctx, space)
			Eventually(p.failed).WithContext(ctx).Should(BeNil())
		})

		It("reports otherwise why it waits once the cluster of the old copy cannot be reached, and when it can", func(ctx SpecContext) {
			watched[B]()
			name := member(ctx)
			c := fixture.Cluster(name)
			Expect(hub.Create(ctx, c)).To(Succeed())
			DeferCleanup(func(ctx SpecContext) { Expect(hub.Delete(ctx, c)).To(Succeed()) })
			Expect(running.Ready(ctx, c, metav1.ConditionTrue)).To(Succeed())
			p := placed[B](ctx, name)
			w := p.has(ctx, name)
			Expect(hub.Delete(ctx, &w)).To(Succeed()) // the cluster of the new copy was tried
			p.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) {
				s.Clusters = []workv1alpha2.TargetCluster{{Name: "b", Replicas: 4}}
				s.GracefulEvictionTasks = []workv1alpha2.GracefulEvictionTask{leaving(name, policyv1alpha1.PurgeModeDirectly)}
			})
			Eventually(p.failed).WithContext(ctx).Should(HaveField("Message", ContainSubstring("look at its finalizers there")))
			Expect(running.Ready(ctx, c, metav1.ConditionFalse)).To(Succeed())
			Eventually(p.failed).WithContext(ctx).Should(HaveField("Message", ContainSubstring("`dragoman fence "+name+"`")))
			Expect(running.Ready(ctx, c, metav1.ConditionTrue)).To(Succeed())
			Eventually(p.failed).WithContext(ctx).Should(HaveField("Message", ContainSubstring("look at its finalizers there")))
		})

		It("has its new Work once the cluster of one that cannot go is fenced", func(ctx SpecContext) {
			watched[B]()
			dead, name := member(ctx), space
			c := fixture.Cluster(dead)
			Expect(hub.Create(ctx, c)).To(Succeed())
			DeferCleanup(func(ctx SpecContext) { Expect(hub.Delete(ctx, c)).To(Succeed()) })
			p := placed[B](ctx, name)
			w := p.has(ctx, name)
			Expect(hub.Delete(ctx, &w)).To(Succeed())
			p.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) {
				s.Clusters = []workv1alpha2.TargetCluster{{Name: "b", Replicas: 4}}
				s.GracefulEvictionTasks = []workv1alpha2.GracefulEvictionTask{leaving(name, policyv1alpha1.PurgeModeDirectly)}
			})
			Eventually(p.failed).WithContext(ctx).Should(And(
				HaveField("Reason", "OldCopyRemains"), HaveField("Message", ContainSubstring("`dragoman fence "+name+"`"))))
			Expect(p.works(ctx)).NotTo(HaveKey("b"))
			change(ctx, c, func(c *clusterv1alpha1.Cluster) {
				c.Spec.Taints = []corev1.Taint{{Key: "failover.dragoman.io/fenced", Effect: corev1.TaintEffectNoSchedule}}
			})
			p.has(ctx, "b")
			Eventually(p.failed).WithContext(ctx).Should(BeNil())
		})

		It("has no Work left behind where many bindings come and go", func(ctx SpecContext) {
			watched[B]()
			cluster, many := member(ctx), 200
			if wide[B]() {
				many = 20
			}
			var left []workv1alpha2.Binding
			for i := range many {
				o := gadget[B](fmt.Sprintf("n%03d", i))
				Expect(hub.Create(ctx, o)).To(Succeed())
				b := fixture.Binding(o)
				b.GetSpec().Replicas, b.GetSpec().Clusters = 4, []workv1alpha2.TargetCluster{{Name: cluster, Replicas: 4}}
				Expect(hub.Create(ctx, b)).To(Succeed())
				Expect(hub.Delete(ctx, b)).To(Succeed())
				left = append(left, b)
			}
			for _, b := range left {
				Eventually(func() error { return hub.Get(ctx, client.ObjectKeyFromObject(b), b) }).Should(MatchError(ContainSubstring("not found")))
			}
			var works workv1alpha1.WorkList
			Expect(hub.List(ctx, &works, client.InNamespace(names.ExecutionSpace(cluster)))).To(Succeed())
			for _, w := range works.Items {
				if w.Annotations[workv1alpha2.NamespaceAnnotation] == "" { // that of the namespace stays
					Expect(w.DeletionTimestamp).NotTo(BeNil(), w.Name)
				}
			}
		})
	})
}

// placedAs is placed for a template of another name.
func placedAs[B workv1alpha2.Binding](ctx context.Context, name string, on ...string) *pair[B] {
	GinkgoHelper()
	return bound[B](ctx, gadget[B](name), on...)
}

// gadget returns a gadget of the scope of a binding, with four replicas.
func gadget[B workv1alpha2.Binding](name string) *unstructured.Unstructured {
	if wide[B]() {
		return fixture.Gadget("", space+"-"+name, map[string]any{"replicas": int64(4)})
	}
	return fixture.Gadget(space, name, map[string]any{"replicas": int64(4)})
}
