// SPDX-License-Identifier: Apache-2.0

package failover_test

import (
	"context"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	realclock "k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/cluster/failover"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

// manage runs the controller with all its watches, and returns its requests and metrics.
func manage(o failover.Options) (*suite.Requests, *prometheus.Registry) {
	GinkgoHelper()
	requests, registry := &suite.Requests{}, prometheus.NewRegistry()
	stop, err := running.Manage(nil, func(ctx context.Context, mgr ctrl.Manager) error {
		d := base.Deps{
			Client: mgr.GetClient(), Templates: tmpls, Interpreter: rules, Gates: features.New(), Clock: realclock.RealClock{}, Events: events, Registry: registry,
		}
		return failover.New(d, o).Register(ctx, mgr)
	}, requests.Wrap)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(stop()).To(Succeed()) })
	return requests, registry
}

// gauge returns the value of a metric without labels.
func gauge(r *prometheus.Registry, name string) float64 {
	GinkgoHelper()
	families, err := r.Gather()
	Expect(err).NotTo(HaveOccurred())
	for _, f := range families {
		if f.GetName() == name {
			m := f.GetMetric()[0]
			return m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
	}
	Fail("there is no metric " + name)
	return 0
}

var _ = Describe("the watches", func() {
	many := func(o *failover.Options) { o.Rate = 1000 }

	It("evict what is in a cluster once it is tainted, and write nothing else", func(ctx SpecContext) {
		join(ctx, "a", "b")
		var leave, stay []*workv1alpha2.ResourceBinding
		for i := range 5 {
			leave = append(leave, placed[*workv1alpha2.ResourceBinding](ctx, fmt.Sprintf("leaves-%d", i), []string{"a"}))
			stay = append(stay, placed[*workv1alpha2.ResourceBinding](ctx, fmt.Sprintf("stays-%d", i), []string{"b"}))
		}
		wide := placed[*workv1alpha2.ClusterResourceBinding](ctx, "leaves", []string{"a"})
		requests, registry := manage(evicting(many))
		taint(ctx, "a", corev1.Taint{Key: "down", Effect: corev1.TaintEffectNoExecute})
		for _, b := range leave {
			Eventually(func() []string { return targets(read(ctx, b)) }).Should(BeEmpty())
		}
		Eventually(func() []string { return targets(read(ctx, wide)) }).Should(BeEmpty())
		for _, b := range stay {
			Expect(targets(read(ctx, b))).To(Equal([]string{"b"}))
		}
		for _, b := range append([]workv1alpha2.Binding{wide}, leave[0], leave[1], leave[2], leave[3], leave[4]) {
			Expect(read(ctx, b).GetGeneration()).To(BeEquivalentTo(2), "one write of "+b.GetName())
		}
		Expect(requests.Made("PATCH", "/resourcebindings/")).NotTo(ContainElement(ContainSubstring("stays-")))
		Expect(clusterOf(ctx, "a").Generation).To(BeEquivalentTo(3), "the taint, and its time")
		Expect(clusterOf(ctx, "b").Generation).To(BeEquivalentTo(1))
		Eventually(func() float64 { return gauge(registry, "dragoman_cluster_failover_evictions_total") }).Should(Equal(6.0))
		Eventually(func() float64 { return gauge(registry, "dragoman_cluster_failover_waiting_bindings") }).Should(BeZero())
		Expect(gauge(registry, "dragoman_cluster_failover_clusters")).To(Equal(2.0))
	})

	It("evict what waited for a restart, what is placed there later, and what tolerates the taint no longer", func(ctx SpecContext) {
		join(ctx, "a", "b")
		first := placed[*workv1alpha2.ResourceBinding](ctx, "first", []string{"a"})
		taint(ctx, "a", corev1.Taint{Key: "down", Effect: corev1.TaintEffectNoExecute})
		manage(evicting(many))
		Eventually(func() []string { return targets(read(ctx, first)) }).Should(BeEmpty())
		later := placed[*workv1alpha2.ResourceBinding](ctx, "later", []string{"a"})
		Eventually(func() []string { return targets(read(ctx, later)) }).Should(BeEmpty())
		tolerant := placed[*workv1alpha2.ResourceBinding](ctx, "tolerant", []string{"a"}, tolerating(100000))
		fixture.Change(ctx, hub, tolerant, func(b *workv1alpha2.ResourceBinding) { tolerating(0)(&b.Spec) })
		Eventually(func() []string { return targets(read(ctx, tolerant)) }).Should(BeEmpty())
	})

	It("take an eviction back once the taint is gone, also after a restart", func(ctx SpecContext) {
		join(ctx, "a", "b")
		b := placed[*workv1alpha2.ResourceBinding](ctx, "one", nil, func(s *workv1alpha2.ResourceBindingSpec) {
			s.GracefulEvictionTasks = []workv1alpha2.GracefulEvictionTask{{FromCluster: "a", Reason: "TaintUntolerated", Producer: "TaintManager", PurgeMode: "Gracefully"}}
		})
		manage(failover.DefaultOptions())
		Eventually(func() []string { return targets(read(ctx, b)) }).Should(Equal([]string{"a"}))
	})

	It("go on when enough clusters are ready again", func(ctx SpecContext) {
		join(ctx, "a", "b")
		b := placed[*workv1alpha2.ResourceBinding](ctx, "one", []string{"a"})
		ready(ctx, "a", metav1.ConditionFalse)
		ready(ctx, "b", metav1.ConditionFalse)
		_, registry := manage(evicting(many))
		taint(ctx, "a", corev1.Taint{Key: "down", Effect: corev1.TaintEffectNoExecute})
		Eventually(func() any { return stopped(ctx, "a") }).ShouldNot(BeNil())
		Expect(gauge(registry, "dragoman_cluster_failover_stopped")).To(Equal(1.0))
		Expect(gauge(registry, "dragoman_cluster_failover_unhealthy_clusters")).To(Equal(2.0))
		Expect(targets(read(ctx, b))).To(Equal([]string{"a"}))
		ready(ctx, "b", metav1.ConditionTrue)
		Eventually(func() []string { return targets(read(ctx, b)) }).Should(BeEmpty())
		Eventually(func() any { return stopped(ctx, "a") }).Should(BeNil())
	})

	It("refuse options that mean nothing", func() {
		_, err := running.Manage(nil, func(ctx context.Context, mgr ctrl.Manager) error {
			return failover.New(base.Deps{Gates: features.New()}, evicting(func(o *failover.Options) { o.Rate = -1 })).Register(ctx, mgr)
		})
		Expect(err).To(MatchError(ContainSubstring("--resource-eviction-rate is -1")))
	})
})
