// SPDX-License-Identifier: Apache-2.0

package status_test

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/work/status"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// carrier is a setup whose object, the ConfigMap m, has a state that must survive a move: its
// job. It is healthy with one.
type carrier struct {
	*setup
	binding *workv1alpha2.ResourceBinding
	clock   *clocktesting.FakePassiveClock
}

func newCarrier(ctx context.Context) *carrier {
	GinkgoHelper()
	c := &carrier{setup: newSetup(ctx), clock: clocktesting.NewFakePassiveClock(time.Now())}
	c.interpreter = fixture.JobRules(configMaps)
	c.controller = status.New(base.Deps{
		Client: hub.Manager.GetClient(), Members: c.members, Interpreter: c.interpreter, Events: c.events, Clock: c.clock, Gates: features.New(),
	})
	Expect(hub.Client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: c.namespace}})).To(Succeed())
	w := fixture.Work(c.cluster, "w", c.configMap())
	c.binding = fixture.BindWithState(w, c.configMap(), c.cluster)
	Expect(hub.Manager.GetClient().Create(ctx, c.binding)).To(Succeed())
	Expect(hub.Manager.GetClient().Create(ctx, w)).To(Succeed())
	c.put(ctx, w)
	return c
}

// run has the object run a job; empty is none.
func (c *carrier) run(ctx context.Context, job string) {
	GinkgoHelper()
	m := &corev1.ConfigMap{}
	m.Namespace, m.Name = c.namespace, "m"
	fixture.Change(ctx, onMember, m, func(m *corev1.ConfigMap) {
		if m.Data = nil; job != "" {
			m.Data = map[string]string{"job": job}
		}
	})
}

// read writes into the status of the binding what the Work reports.
func (c *carrier) read(ctx context.Context) {
	GinkgoHelper()
	w := c.work(ctx)
	s := w.Status.ManifestStatuses[0]
	c.binding.Status.AggregatedStatus = []workv1alpha2.AggregatedStatusItem{{
		ClusterName: c.cluster, Copy: w.UID, Applied: true, Health: s.Health, Status: s.Status, State: s.State,
	}}
	Expect(hub.Manager.GetClient().Status().Update(ctx, c.binding)).To(Succeed())
	Expect(hub.Manager.GetClient().Get(ctx, client.ObjectKeyFromObject(c.binding), c.binding)).To(Succeed(), "the cache has it")
}

// reports returns the health and the job that the Work reports after a reconcile.
func (c *carrier) reports(ctx context.Context) func() string {
	return func() string {
		GinkgoHelper()
		Expect(c.reconcile(ctx)).To(Succeed())
		return describe(c.work(ctx))
	}
}

func describe(w *workv1alpha1.Work) string {
	if len(w.Status.ManifestStatuses) == 0 {
		return "nothing"
	}
	s := w.Status.ManifestStatuses[0]
	return string(s.Health) + " " + s.State["job"]
}

// seen waits until the watch shows that the object runs a job.
func (c *carrier) seen(ctx context.Context, job string) {
	GinkgoHelper()
	m, _ := c.members.Get(c.cluster)
	Eventually(func(g Gomega) {
		o, err := m.Get(configMaps, types.NamespacedName{Namespace: c.namespace, Name: "m"})
		g.Expect(err).NotTo(HaveOccurred())
		data, _ := o.Object["data"].(map[string]any)
		if job == "" {
			g.Expect(data).To(BeEmpty())
			return
		}
		g.Expect(data).To(HaveKeyWithValue("job", job))
	}).Should(Succeed())
}

var _ = Describe("A report that is newer than what a healthy copy reported", func() {
	It("is written once the binding has the state that it lacks", func(ctx SpecContext) {
		c := newCarrier(ctx)
		c.run(ctx, "1")
		Eventually(c.reports(ctx)).Should(Equal("Healthy 1"))
		c.read(ctx)
		c.run(ctx, "2")
		Eventually(c.reports(ctx)).Should(Equal("Healthy 2"), "the binding has 1")
		c.run(ctx, "")
		c.seen(ctx, "")
		Expect(c.reports(ctx)()).To(Equal("Healthy 2"), "nobody else has it")
		c.clock.SetTime(c.clock.Now().Add(time.Second))
		Expect(c.reports(ctx)()).To(Equal("Healthy 2"))
		c.read(ctx)
		Expect(c.reports(ctx)()).To(Equal("Unhealthy "))
	})

	It("is written at once if it has all of that state", func(ctx SpecContext) {
		c := newCarrier(ctx)
		c.run(ctx, "1")
		Eventually(c.reports(ctx)).Should(Equal("Healthy 1"))
		c.run(ctx, "2")
		Eventually(c.reports(ctx)).Should(Equal("Healthy 2"), "the binding has nothing at all")
	})

	It("is written after a minute in any case", func(ctx SpecContext) {
		c := newCarrier(ctx)
		c.run(ctx, "1")
		Eventually(c.reports(ctx)).Should(Equal("Healthy 1"))
		c.run(ctx, "")
		c.seen(ctx, "")
		Expect(c.reports(ctx)()).To(Equal("Healthy 1"))
		c.clock.SetTime(c.clock.Now().Add(59 * time.Second))
		Expect(c.reports(ctx)()).To(Equal("Healthy 1"))
		c.clock.SetTime(c.clock.Now().Add(time.Second))
		Expect(c.reports(ctx)()).To(Equal("Unhealthy "))
	})
})

var _ = Describe("The object of a Work whose manifest is refused", func() {
	DescribeTable("reports no state of another's", func(ctx SpecContext, mark, unmark func(*corev1.ConfigMap)) {
		c := newCarrier(ctx)
		w := c.work(ctx)
		fixture.SetApplied(w, metav1.ConditionFalse)
		Expect(hub.Manager.GetClient().Status().Update(ctx, w)).To(Succeed())
		m := &corev1.ConfigMap{}
		m.Namespace, m.Name = c.namespace, "m"
		fixture.Change(ctx, onMember, m, mark)
		c.run(ctx, "9")
		Expect(c.reconcile(ctx)).To(Succeed(), "it begins to watch the kind")
		c.seen(ctx, "9")
		Expect(c.reports(ctx)()).To(Equal("nothing"))
		fixture.Change(ctx, onMember, m, unmark)
		Eventually(c.reports(ctx)).Should(Equal("Healthy 9"), "the copy that the Work has made runs on")
	},
		Entry("of a Work that was here before", func(m *corev1.ConfigMap) {
			m.Labels[workv1alpha2.WorkPermanentIDLabel] = "former"
		}, func(m *corev1.ConfigMap) { delete(m.Labels, workv1alpha2.WorkPermanentIDLabel) }),
		Entry("of another control plane", func(m *corev1.ConfigMap) {
			m.Annotations[workv1alpha2.OwnerAnnotation] = "other"
		}, func(m *corev1.ConfigMap) { delete(m.Annotations, workv1alpha2.OwnerAnnotation) }),
	)
})
