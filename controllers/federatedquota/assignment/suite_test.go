// SPDX-License-Identifier: Apache-2.0

package assignment_test

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/controllers/federatedquota/assignment"
	"github.com/dragoman-io/dragoman/controllers/federatedquota/status"
	"github.com/dragoman-io/dragoman/controllers/internal/eventbudget"
	"github.com/dragoman-io/dragoman/controllers/namespace"
	"github.com/dragoman-io/dragoman/controllers/work/execution"
	workstatus "github.com/dragoman-io/dragoman/controllers/work/status"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

func TestAssignment(t *testing.T) { suite.Specs(t, "quota assignment") }

var (
	running  *suite.Suite
	hub      client.WithWatch
	onMember client.WithWatch
	deps     controllers.Deps
	events   = &fixture.Events{}
	// space is the namespace of the spec.
	space string
)

var _ = BeforeSuite(func(ctx SpecContext) {
	running = suite.Begin(ctx, "one")
	hub, onMember = running.Client, running.OnMember()
	var err error
	deps, err = controllers.NewDeps(running.Manager, controllers.Environment{Interpreter: suite.Rules(), Successes: eventbudget.All})
	Expect(err).NotTo(HaveOccurred())
	deps.Events = events
	for _, c := range []controllers.Controller{
		assignment.New(deps), status.New(deps), namespace.New(deps, namespace.Options{}), execution.New(deps), workstatus.New(deps),
	} {
		Expect(c.Register(ctx, running.Manager)).To(Succeed())
	}
	Expect(running.Run()).To(Succeed())
	join(ctx, "one")
}, NodeTimeout(10*time.Minute))

var _ = BeforeEach(func(ctx SpecContext) {
	var err error
	space, err = running.Namespace(ctx)
	Expect(err).NotTo(HaveOccurred())
})

// join makes a cluster at the member, connected and ready, as the controllers of clusters do.
func join(ctx context.Context, name string) *clusterv1alpha1.Cluster {
	GinkgoHelper()
	cluster, err := running.Join(ctx, name, suite.At(running.Fleet.Members[0]))
	Expect(err).NotTo(HaveOccurred())
	_, err = deps.Members.Connect(ctx, cluster)
	Expect(err).NotTo(HaveOccurred())
	Expect(running.Ready(ctx, cluster, metav1.ConditionTrue)).To(Succeed())
	n := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: names.ExecutionSpace(name)}}
	Expect(client.IgnoreAlreadyExists(hub.Create(ctx, n))).To(Succeed())
	return cluster
}

// cpus returns a list of CPUs, and of what bindings do not count.
func cpus(n string) corev1.ResourceList {
	return corev1.ResourceList{"cpu": resource.MustParse(n), "limits.memory": resource.MustParse("1Gi")}
}

// quota makes a quota whose CPUs are all assigned to these clusters.
func quota(ctx context.Context, clusters ...string) *policyv1alpha1.FederatedResourceQuota {
	GinkgoHelper()
	q := &policyv1alpha1.FederatedResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "team"}}
	q.Spec.Overall = corev1.ResourceList{"cpu": resource.MustParse("10"), "limits.memory": resource.MustParse("10Gi")}
	for _, c := range clusters {
		q.Spec.StaticAssignments = append(q.Spec.StaticAssignments, policyv1alpha1.StaticClusterAssignment{ClusterName: c, Hard: cpus("2")})
	}
	Expect(hub.Create(ctx, q)).To(Succeed())
	return q
}

// workKey is the Work of the quota in a cluster.
func workKey(cluster string) client.ObjectKey {
	return client.ObjectKey{Namespace: names.ExecutionSpace(cluster), Name: names.Work("ResourceQuota", space, "team")}
}

// limited reads the ResourceQuota in the member.
func limited(ctx context.Context) (*corev1.ResourceQuota, error) {
	q := &corev1.ResourceQuota{}
	return q, onMember.Get(ctx, client.ObjectKey{Namespace: space, Name: "team"}, q)
}

func isGone(err error) bool { return apierrors.IsNotFound(err) }

var _ = Describe("a static assignment", func() {
	It("limits its cluster by a ResourceQuota, whose status is aggregated", func(ctx SpecContext) {
		q := quota(ctx, "one")
		var there *corev1.ResourceQuota
		Eventually(func(g Gomega) {
			var err error
			there, err = limited(ctx)
			g.Expect(err).NotTo(HaveOccurred())
		}).Should(Succeed())
		Expect(there.Labels).To(HaveKeyWithValue("karmada.io/managed", "true"))
		Expect(there.Spec.Hard.Cpu().String()).To(Equal("2"))

		w := &workv1alpha1.Work{}
		Expect(hub.Get(ctx, workKey("one"), w)).To(Succeed())
		Expect(w.Labels).To(And(
			HaveKeyWithValue("federatedresourcequota.karmada.io/namespace", space),
			HaveKeyWithValue("federatedresourcequota.karmada.io/name", "team"),
		))

		By("counting in the member, as its quota controller does")
		before := there.DeepCopy()
		there.Status = corev1.ResourceQuotaStatus{Hard: there.Spec.Hard, Used: corev1.ResourceList{"cpu": resource.MustParse("500m"), "limits.memory": resource.MustParse("0")}}
		Expect(onMember.Status().Patch(ctx, there, client.MergeFrom(before))).To(Succeed())
		Eventually(func(g Gomega) {
			g.Expect(hub.Get(ctx, client.ObjectKeyFromObject(q), q)).To(Succeed())
			g.Expect(q.Status.AggregatedStatus).To(HaveLen(1))
			g.Expect(q.Status.AggregatedStatus[0].ClusterName).To(Equal("one"))
			g.Expect(q.Status.AggregatedStatus[0].Hard.Cpu().String()).To(Equal("2"))
			g.Expect(q.Status.AggregatedStatus[0].Used.Cpu().String()).To(Equal("500m"))
		}).Should(Succeed())
		Expect(q.Status.OverallUsed).To(BeEmpty(), "what the cluster counts is no use of a binding")
		Eventually(func() []string { return events.About(space, "team") }).Should(ContainElements(
			"Normal SyncFederatedResourceQuotaSucceed: Assigned to clusters, such as one.",
			"Normal CollectFederatedResourceQuotaStatusSucceed: Counted what is used."))
	})

	It("follows its quota, and ends with it", func(ctx SpecContext) {
		q := quota(ctx, "one")
		Eventually(limited).WithContext(ctx).Should(Not(BeNil()))
		fixture.Change(ctx, hub, q, func(q *policyv1alpha1.FederatedResourceQuota) { q.Spec.StaticAssignments[0].Hard = cpus("3") })
		Eventually(func(g Gomega) {
			there, err := limited(ctx)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(there.Spec.Hard.Cpu().String()).To(Equal("3"))
		}).Should(Succeed())

		By("deleting the quota")
		Expect(hub.Delete(ctx, q)).To(Succeed())
		Eventually(func(g Gomega) {
			_, err := limited(ctx)
			g.Expect(isGone(err)).To(BeTrue())
			g.Expect(isGone(hub.Get(ctx, workKey("one"), &workv1alpha1.Work{}))).To(BeTrue())
		}).Should(Succeed())
	})

	It("is removed where it is not assigned any more", func(ctx SpecContext) {
		q := quota(ctx, "one")
		Eventually(func(g Gomega) {
			_, err := limited(ctx)
			g.Expect(err).NotTo(HaveOccurred())
		}).Should(Succeed())
		fixture.Change(ctx, hub, q, func(q *policyv1alpha1.FederatedResourceQuota) { q.Spec.StaticAssignments = nil })
		Eventually(func() bool { _, err := limited(ctx); return isGone(err) }).Should(BeTrue())
	})

	It("is there once its cluster joins, and gone when it leaves", func(ctx SpecContext) {
		q := quota(ctx, space)
		Eventually(func(g Gomega) {
			g.Expect(hub.Get(ctx, client.ObjectKeyFromObject(q), q)).To(Succeed())
			g.Expect(q.Status.Overall).NotTo(BeEmpty())
		}).Should(Succeed())
		Expect(isGone(hub.Get(ctx, workKey(space), &workv1alpha1.Work{}))).To(BeTrue())
		join(ctx, space)
		Eventually(func() error { return hub.Get(ctx, workKey(space), &workv1alpha1.Work{}) }).Should(Succeed())
	})

	It("gets a deleted Work back", func(ctx SpecContext) {
		quota(ctx, "one")
		w := &workv1alpha1.Work{}
		Eventually(func() error { return hub.Get(ctx, workKey("one"), w) }).Should(Succeed())
		Expect(hub.Delete(ctx, w)).To(Succeed())
		Eventually(func(g Gomega) {
			again := &workv1alpha1.Work{}
			g.Expect(hub.Get(ctx, workKey("one"), again)).To(Succeed())
			g.Expect(again.UID).NotTo(Equal(w.UID))
		}).Should(Succeed())
	})

	It("leaves the Work of something else of its name alone", func(ctx SpecContext) {
		other := fixture.Work("one", workKey("one").Name, fixture.Object(corev1.SchemeGroupVersion.WithKind("ConfigMap"), space, "c", nil))
		other.Annotations = map[string]string{"resourcebinding.karmada.io/namespace": space, "resourcebinding.karmada.io/name": "team-resourcequota"}
		Expect(hub.Create(ctx, other)).To(Succeed())
		quota(ctx, "one")
		Eventually(func() []string { return events.About(space, "team") }).Should(ContainElement(ContainSubstring("AssignmentConflict: the ResourceQuota team of cluster one is propagated already by work karmada-es-one/" + other.Name)))
		Expect(fixture.Read(ctx, hub, other).Spec).To(Equal(other.Spec))
	})

	It("is removed by a manager that starts after its quota was deleted", func(ctx SpecContext) {
		w := fixture.Work("one", workKey("one").Name, fixture.Object(corev1.SchemeGroupVersion.WithKind("ResourceQuota"), space, "team", nil))
		w.Labels = map[string]string{"federatedresourcequota.karmada.io/namespace": space, "federatedresourcequota.karmada.io/name": "team"}
		w.Spec.SuspendDispatching = new(true) // so that the manager of the suite has nothing to do
		stop, err := running.Manage(nil, func(ctx context.Context, mgr ctrl.Manager) error {
			if err := hub.Create(ctx, w); err != nil {
				return err
			}
			d := deps
			d.Client = mgr.GetClient()
			return assignment.New(d).Register(ctx, mgr)
		})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func() { Expect(stop()).To(Succeed()) })
		Eventually(func() bool { return isGone(hub.Get(ctx, client.ObjectKeyFromObject(w), w)) }).Should(BeTrue())
	})

	It("reports what nothing counts", func(ctx SpecContext) {
		q := quota(ctx)
		Eventually(func() []string { return events.About(space, "team") }).Should(ContainElement(HavePrefix("Warning ResourceNotCounted: limits.memory: not counted over all clusters")))
		Expect(q.Name).To(Equal("team"))
	})
})
