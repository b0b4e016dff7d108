// SPDX-License-Identifier: Apache-2.0

package cluster_test

import (
	"context"
	"errors"
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
	"github.com/dragoman-io/dragoman/controllers/cluster/lifecycle"
	"github.com/dragoman-io/dragoman/controllers/cluster/status"
	"github.com/dragoman-io/dragoman/controllers/cluster/taints"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/test/suite"
)

func url(port int) string { return fmt.Sprintf("https://127.0.0.1:%d", port) }

// manage runs the controllers on some clusters alone. They probe again only after an
// hour, so that whatever happens follows an event, and each observation counts; and they wait
// for an answer as long, so that who does not answer is asked to the end of the spec.
func manage(ctx context.Context, setups ...*setup) *member.Registry {
	GinkgoHelper()
	mark := labels.Set{"spec": setups[0].name}
	for _, b := range setups {
		b.change(ctx, func(c *clusterv1alpha1.Cluster) { c.Labels = mark })
	}
	var members *member.Registry
	options := status.Options{Period: time.Hour, FailureThreshold: -1, SuccessThreshold: -1, ProbeTimeout: time.Hour}
	stop, err := hub.Manage(map[client.Object]cache.ByObject{
		&clusterv1alpha1.Cluster{}: {Label: labels.SelectorFromSet(mark)},
	}, func(ctx context.Context, mgr ctrl.Manager) error {
		members = member.NewRegistry(mgr.GetClient())
		members.Timeout = time.Hour
		d := base.Deps{Client: mgr.GetClient(), Members: members, Clock: clock.RealClock{}, Events: &setups[0].events}
		return errors.Join(mgr.Add(members), lifecycle.New(d).Register(ctx, mgr), status.New(d, options).Register(ctx, mgr), taints.New(d).Register(ctx, mgr))
	})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(stop()).To(Succeed()) })
	return members
}

var _ = Describe("The controllers of clusters", func() {
	It("is woken by a Secret whose token was mended", func(ctx SpecContext) {
		b := newSetup(ctx, suite.Address{URL: one().URL, Token: "wrong", CA: one().CA})
		manage(ctx, b)
		Eventually(func() []string { return taintsOf(b.get(ctx)) }).Should(Equal([]string{notReady}))
		Expect(readiness(b.get(ctx))).To(Equal(metav1.ConditionFalse))

		secret := &corev1.Secret{}
		Expect(hub.Client.Get(ctx, types.NamespacedName{Namespace: names.ClusterNamespace, Name: b.name}, secret)).To(Succeed())
		secret.Data[clusterv1alpha1.SecretTokenKey] = []byte(one().Token)
		Expect(hub.Client.Update(ctx, secret)).To(Succeed())
		Eventually(func() metav1.ConditionStatus { return readiness(b.get(ctx)) }).Should(Equal(metav1.ConditionTrue))
		Eventually(func() []string { return taintsOf(b.get(ctx)) }).Should(BeEmpty())
	})

	It("closes the connection to a cluster whose finalizer somebody took away", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		members := manage(ctx, b)
		connected := func() bool {
			_, ok := members.Get(b.name)
			return ok
		}
		Eventually(connected).Should(BeTrue())
		Eventually(func() metav1.ConditionStatus { return readiness(b.get(ctx)) }).Should(Equal(metav1.ConditionTrue))
		b.delete(ctx)
		Expect(hub.Client.Patch(ctx, b.get(ctx), client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":[]}}`)))).To(Succeed())
		Eventually(connected).Should(BeFalse())
	})
})

var _ = Describe("A cluster that does not answer", func() {
	It("does not keep the others waiting", func(ctx SpecContext) {
		g := newProxy()
		g.Answer(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		silent := newSetup(ctx, suite.Through(g, hub.Fleet.Members[0]))
		lively := newSetup(ctx, one())
		manage(ctx, silent, lively)
		Eventually(func() int { return g.Count("/readyz") }).ShouldNot(BeZero())
		Eventually(func() metav1.ConditionStatus { return readiness(lively.get(ctx)) }).Should(Equal(metav1.ConditionTrue))
		Expect(readiness(silent.get(ctx))).To(BeEmpty(), "it is still being asked")
	})
	It("does not keep the others waiting where fifty do not", func(ctx SpecContext) {
		const hanging = 50
		g := newProxy()
		g.Answer(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		setups := make([]*setup, hanging, hanging+1)
		for i := range setups {
			setups[i] = newSetup(ctx, suite.Through(g, hub.Fleet.Members[0]))
		}
		manage(ctx, setups...)
		Eventually(func() int { return g.Count("/readyz") }).Should(BeNumerically(">=", hanging), "clusters that are being asked")
		lively := newSetup(ctx, one())
		lively.change(ctx, func(c *clusterv1alpha1.Cluster) { c.Labels = map[string]string{"spec": setups[0].name} })
		Eventually(func() metav1.ConditionStatus { return readiness(lively.get(ctx)) }).Should(Equal(metav1.ConditionTrue))
	})
})
