// SPDX-License-Identifier: Apache-2.0

// Package cluster_test runs the controllers of clusters together, through the life of a
// cluster.
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
	"github.com/dragoman-io/dragoman/controllers/cluster/lifecycle"
	"github.com/dragoman-io/dragoman/controllers/cluster/status"
	"github.com/dragoman-io/dragoman/controllers/cluster/taints"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

// hub has a member, which many Cluster objects are made for, and another one.
var hub *suite.Suite

func TestCluster(t *testing.T) { suite.Specs(t, "Cluster") }

var _ = BeforeSuite(func(ctx SpecContext) {
	hub = suite.Begin(ctx, "one", "two")
	Expect(hub.Run()).To(Succeed())
})

// setup is one cluster and the controllers of clusters, which a spec calls by itself.
type setup struct {
	name      string
	lifecycle *lifecycle.Controller
	status    *status.Controller
	taints    *taints.Controller
	members   *member.Registry
	clock     *clocktesting.FakePassiveClock
	events    fixture.Events
	// owner names the control plane, and election the manager of it that runs.
	owner    string
	election base.Election
}

// newSetup creates a cluster of a new name at an address, and controllers whose clock
// stands still. A change of readiness counts after 30 seconds.
func newSetup(ctx context.Context, at suite.Address) *setup {
	GinkgoHelper()
	b := &setup{name: "c-" + string(uuid.NewUUID())[:8]}
	_, err := hub.Join(ctx, b.name, at)
	Expect(err).NotTo(HaveOccurred())
	b.restart(status.Options{})
	return b
}

// restart creates new controllers, which know nothing.
func (b *setup) restart(options status.Options) {
	if b.clock == nil {
		b.clock = clocktesting.NewFakePassiveClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	}
	b.members = member.NewRegistry(hub.Manager.GetClient())
	DeferCleanup(b.members.Close)
	d := base.Deps{
		Client: hub.Manager.GetClient(), Members: b.members, Clock: b.clock, Events: &b.events, Owner: b.owner, Election: b.election,
	}
	b.lifecycle, b.status, b.taints = lifecycle.New(d), status.New(d, options), taints.New(d)
}

// get reads the cluster.
func (b *setup) get(ctx context.Context) *clusterv1alpha1.Cluster {
	GinkgoHelper()
	c := &clusterv1alpha1.Cluster{}
	Expect(hub.Manager.GetClient().Get(ctx, types.NamespacedName{Name: b.name}, c)).To(Succeed())
	return c
}

// reconcile calls each controller once, and returns the cluster as it is then.
func (b *setup) reconcile(ctx context.Context) *clusterv1alpha1.Cluster {
	GinkgoHelper()
	_, err := b.lifecycle.Reconcile(ctx, b.get(ctx))
	Expect(err).NotTo(HaveOccurred())
	_, err = b.reconcileStatus(ctx)
	Expect(err).NotTo(HaveOccurred())
	_, err = b.taints.Reconcile(ctx, b.get(ctx))
	Expect(err).NotTo(HaveOccurred())
	return b.get(ctx)
}

func (b *setup) reconcileStatus(ctx context.Context) (reconcile.Result, error) {
	return b.status.Reconcile(ctx, reconcile.Request{NamespacedName: types.NamespacedName{Name: b.name}})
}

// change writes the cluster's spec or metadata.
func (b *setup) change(ctx context.Context, f func(*clusterv1alpha1.Cluster)) {
	GinkgoHelper()
	c := b.get(ctx)
	before := c.DeepCopy()
	f(c)
	Expect(hub.Manager.GetClient().Patch(ctx, c, client.MergeFrom(before))).To(Succeed())
}

// newProxy starts a proxy before the member.
func newProxy() *suite.Proxy {
	GinkgoHelper()
	g, err := suite.NewProxy(hub.Fleet.Members[0])
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

// readiness returns the status of the Ready condition.
func readiness(c *clusterv1alpha1.Cluster) metav1.ConditionStatus {
	s, _, _ := ready(c)
	return s
}

// taintsOf lists the taints as key:effect.
func taintsOf(c *clusterv1alpha1.Cluster) []string {
	all := []string{}
	for _, t := range c.Spec.Taints {
		all = append(all, t.Key+":"+string(t.Effect))
	}
	return all
}
