// SPDX-License-Identifier: Apache-2.0

package cluster_test

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/cluster"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/test/suite"
)

// hub has one member, which many Cluster objects are made for.
var hub *suite.Suite

func TestCluster(t *testing.T) { suite.Specs(t, "Cluster") }

var _ = BeforeSuite(func(ctx SpecContext) {
	hub = suite.Begin(ctx, "one")
	Expect(hub.Run()).To(Succeed())
})

// bench is a controller with one cluster, in a spec that calls it by itself.
type bench struct {
	name    string
	cluster *cluster.Controller
	members *member.Registry
	clock   *clocktesting.FakePassiveClock
}

// newBench makes a cluster of a new name at an address, and a controller whose clock
// stands still. Readiness is believed after 30 seconds.
func newBench(ctx context.Context, at suite.Address) *bench {
	GinkgoHelper()
	b := &bench{name: "c-" + string(uuid.NewUUID())[:8]}
	_, err := hub.Join(ctx, b.name, at)
	Expect(err).NotTo(HaveOccurred())
	b.restart(cluster.Options{})
	return b
}

// restart returns the bench a new controller, which knows nothing.
func (b *bench) restart(options cluster.Options) {
	background, cancel := context.WithCancel(context.Background())
	DeferCleanup(cancel)
	if b.clock == nil {
		b.clock = clocktesting.NewFakePassiveClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	}
	b.members = member.NewRegistry(background, hub.Manager.GetClient())
	b.cluster = cluster.New(hub.Manager.GetClient(), b.members, b.clock, options)
}

// get reads the cluster.
func (b *bench) get(ctx context.Context) *clusterv1alpha1.Cluster {
	GinkgoHelper()
	c := &clusterv1alpha1.Cluster{}
	Expect(hub.Manager.GetClient().Get(ctx, types.NamespacedName{Name: b.name}, c)).To(Succeed())
	return c
}

// look has the controller look at the cluster once, and returns what it came to.
func (b *bench) look(ctx context.Context) *clusterv1alpha1.Cluster {
	GinkgoHelper()
	_, err := b.reconcile(ctx)
	Expect(err).NotTo(HaveOccurred())
	return b.get(ctx)
}

func (b *bench) reconcile(ctx context.Context) (reconcile.Result, error) {
	GinkgoHelper()
	return b.cluster.Reconcile(ctx, b.get(ctx))
}

// change writes the cluster's spec or metadata.
func (b *bench) change(ctx context.Context, f func(*clusterv1alpha1.Cluster)) {
	GinkgoHelper()
	c := b.get(ctx)
	f(c)
	Expect(hub.Manager.GetClient().Update(ctx, c)).To(Succeed())
}

// gate stands before the member.
func gate() *suite.Gate {
	GinkgoHelper()
	g, err := suite.NewGate(hub.Fleet.Members[0])
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(g.Close)
	return g
}

// one is the address of the member.
func one() suite.Address { return suite.At(hub.Fleet.Members[0]) }

// onMember is a direct client of the member.
func onMember() client.Client {
	GinkgoHelper()
	c, err := client.New(hub.Fleet.Members[0].RESTConfig(), client.Options{Scheme: hub.Manager.GetScheme()})
	Expect(err).NotTo(HaveOccurred())
	return c
}

// ready returns status, reason and message of the Ready condition.
func ready(c *clusterv1alpha1.Cluster) (metav1.ConditionStatus, string, string) {
	condition := meta.FindStatusCondition(c.Status.Conditions, clusterv1alpha1.ClusterConditionReady)
	if condition == nil {
		return "", "", ""
	}
	return condition.Status, condition.Reason, condition.Message
}

// status returns the status of the Ready condition.
func status(c *clusterv1alpha1.Cluster) metav1.ConditionStatus {
	s, _, _ := ready(c)
	return s
}

// taints lists the taints as key:effect.
func taints(c *clusterv1alpha1.Cluster) []string {
	all := []string{}
	for _, t := range c.Spec.Taints {
		all = append(all, t.Key+":"+string(t.Effect))
	}
	return all
}
