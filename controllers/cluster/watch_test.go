// SPDX-License-Identifier: Apache-2.0

package cluster_test

import (
	"context"
	"fmt"
	"net/http"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	"github.com/dragoman-io/dragoman/controllers/cluster"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/test/suite"
)

func url(port int) string { return fmt.Sprintf("https://127.0.0.1:%d", port) }

// manage runs the controller on some clusters alone. It looks again only after an
// hour, so that whatever happens was woken by an event, and believes what it sees.
func manage(ctx context.Context, benches ...*bench) *member.Registry {
	GinkgoHelper()
	mark := labels.Set{"spec": benches[0].name}
	for _, b := range benches {
		b.change(ctx, func(c *clusterv1alpha1.Cluster) { c.Labels = mark })
	}
	var members *member.Registry
	options := cluster.Options{Period: time.Hour, FailureThreshold: -1, SuccessThreshold: -1, ProbeTimeout: time.Hour}
	stop, err := hub.Manage(map[client.Object]cache.ByObject{
		&clusterv1alpha1.Cluster{}: {Label: labels.SelectorFromSet(mark)},
	}, func(ctx context.Context, mgr ctrl.Manager) error {
		members = member.NewRegistry(ctx, mgr.GetClient())
		return cluster.New(mgr.GetClient(), members, clock.RealClock{}, options).Register(mgr)
	})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(stop()).To(Succeed()) })
	return members
}

var _ = Describe("The controller of clusters", func() {
	It("is woken by a Secret whose token was mended", func(ctx SpecContext) {
		b := newBench(ctx, suite.Address{URL: one().URL, Token: "wrong", CA: one().CA})
		manage(ctx, b)
		Eventually(func() []string { return taints(b.get(ctx)) }).Should(Equal([]string{notReady}))
		Expect(status(b.get(ctx))).To(Equal(metav1.ConditionFalse))

		secret := &corev1.Secret{}
		Expect(hub.Client.Get(ctx, types.NamespacedName{Namespace: names.ClusterNamespace, Name: b.name}, secret)).To(Succeed())
		secret.Data[clusterv1alpha1.SecretTokenKey] = []byte(one().Token)
		Expect(hub.Client.Update(ctx, secret)).To(Succeed())
		Eventually(func() metav1.ConditionStatus { return status(b.get(ctx)) }).Should(Equal(metav1.ConditionTrue))
		Eventually(func() []string { return taints(b.get(ctx)) }).Should(BeEmpty())
	})

	It("closes the connection to a cluster whose finalizer somebody took away", func(ctx SpecContext) {
		b := newBench(ctx, one())
		members := manage(ctx, b)
		connected := func() bool {
			_, ok := members.Get(b.name)
			return ok
		}
		Eventually(connected).Should(BeTrue())
		Eventually(func() metav1.ConditionStatus { return status(b.get(ctx)) }).Should(Equal(metav1.ConditionTrue))
		b.delete(ctx)
		Expect(hub.Client.Patch(ctx, b.get(ctx), client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":[]}}`)))).To(Succeed())
		Eventually(connected).Should(BeFalse())
	})
})

var _ = Describe("A cluster that does not answer", func() {
	It("does not keep the others waiting", func(ctx SpecContext) {
		g := gate()
		g.Answer(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		silent := newBench(ctx, suite.Through(g, hub.Fleet.Members[0]))
		lively := newBench(ctx, one())
		manage(ctx, silent, lively)
		Eventually(func() int { return g.Count("/readyz") }).ShouldNot(BeZero())
		Eventually(func() metav1.ConditionStatus { return status(lively.get(ctx)) }).Should(Equal(metav1.ConditionTrue))
		Expect(status(silent.get(ctx))).To(BeEmpty(), "it is still being asked")
	})
})
