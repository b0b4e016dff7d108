// SPDX-License-Identifier: Apache-2.0

package failover_test

import (
	"context"
	"net/http"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/failover"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/test/suite"
)

var _ = Describe("a copy that was reported as unhealthy", func() {
	var (
		members *member.Registry
		proxy   *suite.Proxy
		cluster string
		copied  *unstructured.Unstructured
	)
	BeforeEach(func(ctx SpecContext) {
		var err error
		proxy, err = suite.NewProxy(running.Fleet.Members[0])
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(proxy.Close)
		cluster = space + "-member"
		joined, err := running.Join(ctx, cluster, suite.Through(proxy, running.Fleet.Members[0]))
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx SpecContext) { Expect(hub.Delete(ctx, joined)).To(Succeed()) })
		Expect(onMember.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: space}})).To(Succeed())
		copied = gadget[kind](nil)
		Expect(onMember.Create(ctx, copied)).To(Succeed())
		members = member.NewRegistry(cached)
		DeferCleanup(members.Close)
	})
	connect := func(ctx context.Context) {
		GinkgoHelper()
		c := &clusterv1alpha1.Cluster{}
		Expect(hub.Get(ctx, client.ObjectKey{Name: cluster}, c)).To(Succeed())
		_, err := members.Connect(ctx, c)
		Expect(err).NotTo(HaveOccurred())
	}
	// is writes how the copy in the member is.
	is := func(ctx context.Context, ok bool) {
		GinkgoHelper()
		copied.Object["status"] = map[string]any{"ok": ok}
		Expect(onMember.Status().Update(ctx, copied)).To(Succeed())
	}
	// restarted has a manager that has just started look at the binding, whose toleration has
	// passed.
	restarted := func(ctx context.Context, b kind) (kind, reconcile.Result) {
		GinkgoHelper()
		c := failover.New[kind](base.Deps{
			Client: cached, Templates: tmpls, Interpreter: rules, Gates: features.New(), Clock: clock, Events: events, Members: members,
		})
		result, err := reconcile.AsReconciler(cached, c).Reconcile(ctx, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(b)})
		Expect(err).NotTo(HaveOccurred())
		return read(ctx, b), result
	}
	tolerated := func(ctx context.Context) kind {
		GinkgoHelper()
		b := bound[kind](ctx, gadget[kind](nil), []string{cluster})
		report(ctx, b, cluster, unhealthy, nil)
		b, _ = reconciled(ctx, b)
		later(2 * time.Minute)
		return b
	}

	It("stays if it has become healthy since", func(ctx SpecContext) {
		connect(ctx)
		b := tolerated(ctx)
		is(ctx, true)
		b, result := restarted(ctx, b)
		Expect(clusters(b)).To(Equal([]string{cluster}))
		Expect(result.RequeueAfter).To(BeNumerically(">", 0))
		Expect(eventsAbout(b)).To(BeEmpty())
		Expect(proxy.Count("GET", "/gadgets/one")).To(Equal(1), "one request for each that would be evicted")
	})

	It("is evicted if it is unhealthy still", func(ctx SpecContext) {
		connect(ctx)
		b := tolerated(ctx)
		is(ctx, false)
		b, _ = restarted(ctx, b)
		Expect(clusters(b)).To(BeEmpty())
	})

	It("is evicted if it is unhealthy only since the policy moves it, such as a job that failed for good", func(ctx SpecContext) {
		connect(ctx)
		b := tolerated(ctx)
		copied.Object["status"] = map[string]any{"ok": true, "ended": true}
		Expect(onMember.Status().Update(ctx, copied)).To(Succeed())
		b, _ = restarted(ctx, b)
		Expect(clusters(b)).To(BeEmpty())
	})

	It("stays as long as nobody knows: there is no connection yet, or no answer", func(ctx SpecContext) {
		b := tolerated(ctx)
		is(ctx, false)
		b, _ = restarted(ctx, b)
		Expect(clusters(b)).To(Equal([]string{cluster}))
		connect(ctx)
		proxy.Answer(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
		b, _ = restarted(ctx, b)
		Expect(clusters(b)).To(Equal([]string{cluster}))
		proxy.Answer(nil)
		Eventually(func() []string {
			b, _ = restarted(ctx, b)
			return clusters(b)
		}).Should(BeEmpty())
	})

	It("stays if it is gone, since it is created again", func(ctx SpecContext) {
		connect(ctx)
		b := tolerated(ctx)
		Expect(onMember.Delete(ctx, copied)).To(Succeed())
		b, _ = restarted(ctx, b)
		Expect(clusters(b)).To(Equal([]string{cluster}))
	})

	It("is evicted from a cluster whose agent reports for itself", func(ctx SpecContext) {
		change(ctx, &clusterv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: cluster}}, func(c *clusterv1alpha1.Cluster) {
			c.Spec.SyncMode = clusterv1alpha1.Pull
		})
		b := tolerated(ctx)
		Eventually(func() []string {
			b, _ = restarted(ctx, b)
			return clusters(b)
		}).Should(BeEmpty())
	})
})
