// SPDX-License-Identifier: Apache-2.0

package metrics_test

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/controllers/metrics"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

func TestMetrics(t *testing.T) { suite.Specs(t, "metrics") }

// values returns the series that a registry serves, by name and labels.
func values(g prometheus.Gatherer) map[string]float64 {
	GinkgoHelper()
	families, err := g.Gather()
	Expect(err).NotTo(HaveOccurred())
	all := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			name := f.GetName()
			for _, l := range m.GetLabel() {
				name += " " + l.GetValue()
			}
			all[name] = m.GetGauge().GetValue()
		}
	}
	return all
}

var _ = Describe("The metrics of a control plane", func() {
	It("follow its clusters, bindings and Works, and end with them", func(ctx SpecContext) {
		control := suite.BeginOwn(ctx)
		hub := control.Client
		registry := prometheus.NewRegistry()
		stop, err := control.Manage(nil, func(ctx context.Context, mgr ctrl.Manager) error {
			d, err := controllers.NewDeps(mgr, controllers.Environment{})
			if err != nil {
				return err
			}
			d.Registry = registry
			return metrics.New(d).Register(ctx, mgr)
		})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func() { Expect(stop()).To(Succeed()) })
		served := func() map[string]float64 { return values(registry) }
		Eventually(served).Should(Equal(map[string]float64{"dragoman_clusters": 0, "dragoman_bindings": 0, "dragoman_bindings_not_fully_applied": 0}))

		cluster := fixture.Cluster("m1")
		Expect(hub.Create(ctx, cluster)).To(Succeed())
		space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: names.ExecutionSpace("m1")}}
		Expect(hub.Create(ctx, space)).To(Succeed())
		b := fixture.Binding(fixture.Gadget("default", "g", nil))
		b.SetFinalizers(nil)
		Expect(hub.Create(ctx, b)).To(Succeed())
		w := fixture.Work("m1", "w", fixture.Gadget("default", "g", nil))
		w.Finalizers = nil
		Expect(hub.Create(ctx, w)).To(Succeed())
		Eventually(served).Should(And(
			HaveKeyWithValue("dragoman_cluster_ready m1", 0.0), HaveKeyWithValue("dragoman_bindings", 1.0),
			HaveKeyWithValue("dragoman_works m1", 1.0), HaveKeyWithValue("dragoman_works_not_applied m1", 1.0),
		))

		before := w.DeepCopy()
		w.Status.Conditions = []metav1.Condition{{
			Type: workv1alpha1.WorkApplied, Status: "True", Reason: "Spec", ObservedGeneration: w.Generation, LastTransitionTime: metav1.Now(),
		}}
		Expect(hub.Status().Patch(ctx, w, client.MergeFrom(before))).To(Succeed())
		Eventually(served).ShouldNot(HaveKey("dragoman_works_not_applied m1"))
		problems, err := promlint.NewWithMetricFamilies(must(registry.Gather())).Lint()
		Expect(err).NotTo(HaveOccurred())
		Expect(problems).To(BeEmpty())

		for _, o := range []client.Object{b, w, cluster} {
			Expect(hub.Delete(ctx, o)).To(Succeed())
		}
		Eventually(served).Should(Equal(map[string]float64{"dragoman_clusters": 0, "dragoman_bindings": 0, "dragoman_bindings_not_fully_applied": 0}))
	}, NodeTimeout(10*time.Minute))
})

func must[T any](v T, err error) T {
	GinkgoHelper()
	Expect(err).NotTo(HaveOccurred())
	return v
}
