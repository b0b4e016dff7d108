// SPDX-License-Identifier: Apache-2.0

package cluster_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	"github.com/dragoman-io/dragoman/controllers/cluster/status"
	"github.com/dragoman-io/dragoman/test/suite"
)

// kubeSystem is the path of the namespace whose UID is the id of a member.
const kubeSystem = "/api/v1/namespaces/kube-system"

// identified is a member behind a proxy that has an id of its own, so that other specs have
// no Cluster of it.
type identified struct {
	*suite.Proxy
	id atomic.Value
}

func newIdentified() *identified {
	GinkgoHelper()
	p := &identified{Proxy: newProxy()}
	p.becomes()
	return p
}

// becomes has another cluster answer, and returns its id.
func (p *identified) becomes() string {
	id := string(uuid.NewUUID())
	p.id.Store(id)
	p.Answer(p.serve)
	return id
}

// serve has the member answer, but for its id.
func (p *identified) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != kubeSystem {
		p.Pass(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"kube-system","uid":%q}}`, p.is())
}

func (p *identified) is() string { return p.id.Load().(string) }

func (p *identified) address() suite.Address { return suite.Through(p.Proxy, hub.Fleet.Members[0]) }

// conflict returns reason and message of the condition IDConflict; nothing if there is none.
func conflict(c *clusterv1alpha1.Cluster) string {
	condition := meta.FindStatusCondition(c.Status.Conditions, clusterv1alpha1.ClusterConditionIDConflict)
	if condition == nil {
		return ""
	}
	return fmt.Sprintf("%s %s: %s", condition.Status, condition.Reason, condition.Message)
}

// served reports whether others get the connection to the cluster.
func (b *setup) served() bool {
	_, ok := b.members.Get(b.name)
	return ok
}

// later lets the time pass after which the id is read again.
func (b *setup) later() { b.clock.SetTime(b.clock.Now().Add(time.Minute)) }

// probe calls the controller of the status once, and returns the cluster as it is then.
func (b *setup) probe(ctx context.Context) *clusterv1alpha1.Cluster {
	GinkgoHelper()
	_, err := b.reconcileStatus(ctx)
	Expect(err).NotTo(HaveOccurred())
	return b.get(ctx)
}

var _ = Describe("The id of a cluster", func() {
	It("is the UID of the member's kube-system, and stays out of the spec", func(ctx SpecContext) {
		c := newSetup(ctx, one()).reconcile(ctx)
		system := &corev1.Namespace{}
		Expect(onMember().Get(ctx, types.NamespacedName{Name: "kube-system"}, system)).To(Succeed())
		Expect(c.Status.ID).To(Equal(string(system.UID)))
		Expect(c.Spec.ID).To(BeEmpty())
	})

	It("is read once for a connection, after a failure, and from time to time", func(ctx SpecContext) {
		p := newIdentified()
		b := newSetup(ctx, p.address())
		for range 3 {
			b.probe(ctx)
		}
		Expect(p.Count(kubeSystem)).To(Equal(1))
		b.clock.SetTime(b.clock.Now().Add(59 * time.Second))
		b.probe(ctx)
		Expect(p.Count(kubeSystem)).To(Equal(1))
		b.later()
		b.probe(ctx)
		Expect(p.Count(kubeSystem)).To(Equal(2))
		b.restart(status.Options{})
		b.probe(ctx)
		Expect(p.Count(kubeSystem)).To(Equal(3))
	})

	DescribeTable("is unknown where it cannot be read, and nothing follows from that", func(ctx SpecContext, code, reads int) {
		p := newIdentified()
		refuse := func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == kubeSystem {
				w.WriteHeader(code)
				return
			}
			p.Pass(w, r)
		}
		p.Answer(refuse)
		b := newSetup(ctx, p.address())
		b.probe(ctx)
		c := b.probe(ctx)
		Expect(c.Status.ID).To(BeEmpty())
		Expect([]any{readiness(c), conflict(c), b.served()}).To(HaveExactElements(BeEquivalentTo("True"), "", true))
		Expect(p.Count(kubeSystem)).To(Equal(reads))

		By("refusing it when it was known before")
		id := p.becomes()
		b.later()
		Expect(b.probe(ctx).Status.ID).To(Equal(id))
		p.Answer(refuse)
		b.restart(status.Options{})
		c = b.probe(ctx)
		Expect([]any{c.Status.ID, conflict(c), b.served()}).To(HaveExactElements(id, "", true))
	},
		Entry("forbidden: asked as rarely as if it were known", http.StatusForbidden, 1),
		Entry("not there", http.StatusNotFound, 1),
		Entry("an error: asked again by the next probe", http.StatusNotImplemented, 2),
	)
})

var _ = Describe("Another cluster behind a name", func() {
	const message = `^True OtherCluster: another cluster is behind this name: its id is %s, and the recorded one is %s; nothing is written to it. ` +
		`If it takes the place of the former one, set spec.id to %s; if not, mend spec.apiEndpoint and the credentials$`

	It("gets nothing before a person confirms it by its id", func(ctx SpecContext) {
		p := newIdentified()
		b := newSetup(ctx, p.address())
		before := b.reconcile(ctx)
		former := p.is()
		Expect(before.Status.ID).To(Equal(former))
		Expect(b.served()).To(BeTrue())

		other := p.becomes()
		b.later()
		c := b.reconcile(ctx)
		Expect(conflict(c)).To(MatchRegexp(message, other, former, other))
		Expect(b.served()).To(BeFalse(), "nobody may write to it")
		Expect(c.Status.ID).To(Equal(former))
		Expect(readiness(c)).To(BeEquivalentTo("True"), "it answers; nothing is evicted")
		Expect(taintsOf(c)).To(BeEmpty())
		b.reconcile(ctx)
		Expect(b.events.About("", b.name)).To(ConsistOf(HavePrefix("Warning OtherCluster: ")), "once")

		By("starting the manager again")
		b.restart(status.Options{})
		Expect(conflict(b.reconcile(ctx))).To(MatchRegexp(message, other, former, other))
		Expect(b.served()).To(BeFalse())

		By("confirming it")
		b.change(ctx, func(c *clusterv1alpha1.Cluster) { c.Spec.ID = other })
		c = b.reconcile(ctx)
		Expect([]any{conflict(c), c.Status.ID, b.served()}).To(HaveExactElements("", other, true))

		By("taking spec.id away again, as who keeps the Cluster elsewhere does")
		b.change(ctx, func(c *clusterv1alpha1.Cluster) { c.Spec.ID = "" })
		b.later()
		c = b.reconcile(ctx)
		Expect([]any{conflict(c), c.Status.ID, b.served()}).To(HaveExactElements("", other, true))
	})

	It("is noticed before anybody writes, when the address is edited, and forgotten when it is mended", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		former := b.reconcile(ctx).Status.ID
		var connected atomic.Int32
		b.members.ListenConnected(func(string) { connected.Add(1) })
		two := suite.At(hub.Fleet.Members[1])
		move := func(to suite.Address) {
			GinkgoHelper()
			secret := &corev1.Secret{}
			Expect(hub.Manager.GetClient().Get(ctx, types.NamespacedName{Namespace: names.ClusterNamespace, Name: b.name}, secret)).To(Succeed())
			secret.Data = map[string][]byte{clusterv1alpha1.SecretTokenKey: []byte(to.Token), clusterv1alpha1.SecretCADataKey: to.CA}
			Expect(hub.Manager.GetClient().Update(ctx, secret)).To(Succeed())
			b.change(ctx, func(c *clusterv1alpha1.Cluster) { c.Spec.APIEndpoint = to.URL })
		}
		move(two)
		c := b.reconcile(ctx)
		Expect(conflict(c)).To(HavePrefix("True OtherCluster: "))
		Expect([]any{c.Status.ID, b.served(), int(connected.Load())}).To(HaveExactElements(former, false, 0))

		move(one())
		c = b.reconcile(ctx)
		Expect(conflict(c)).NotTo(ContainSubstring("OtherCluster"))
		Expect([]any{c.Status.ID, b.served(), int(connected.Load())}).To(HaveExactElements(former, true, 1))
	})

	It("is one that has another id than spec.id from the start", func(ctx SpecContext) {
		p := newIdentified()
		b := newSetup(ctx, p.address())
		wanted := string(uuid.NewUUID())
		b.change(ctx, func(c *clusterv1alpha1.Cluster) { c.Spec.ID = wanted })
		c := b.reconcile(ctx)
		Expect(conflict(c)).To(MatchRegexp(message, p.is(), wanted, p.is()))
		Expect([]any{c.Status.ID, b.served()}).To(HaveExactElements("", false))
	})

	It("lets the Cluster leave", func(ctx SpecContext) {
		p := newIdentified()
		b := newSetup(ctx, p.address())
		b.reconcile(ctx)
		p.becomes()
		b.later()
		b.delete(ctx)
		Expect(conflict(b.reconcile(ctx))).To(HavePrefix("True OtherCluster: "))
		Expect(b.served()).To(BeFalse())
	})
})

var _ = Describe("One cluster under two names", func() {
	It("is served under the older one, and under the other once that is being deleted", func(ctx SpecContext) {
		p := newIdentified()
		first := newSetup(ctx, p.address())
		second := newSetup(ctx, p.address())
		if second.name < first.name && second.get(ctx).CreationTimestamp == first.get(ctx).CreationTimestamp {
			first, second = second, first
		}
		first.reconcile(ctx)
		c := second.reconcile(ctx)
		Expect(conflict(c)).To(Equal(fmt.Sprintf("True SameCluster: this is the cluster that has the name %s already: both have the id %s; "+
			"nothing new is scheduled here. Delete this Cluster, or delete %s to go on under this name", first.name, p.is(), first.name)))
		Expect([]any{readiness(c), taintsOf(c), second.served()}).To(HaveExactElements(BeEquivalentTo("True"), BeEmpty(), true), "nothing that is there leaves")
		Expect(second.events.About("", second.name)).To(ConsistOf(HavePrefix("Warning SameCluster: ")))
		Expect(conflict(first.reconcile(ctx))).To(BeEmpty())

		first.delete(ctx)
		Expect(conflict(second.reconcile(ctx))).To(BeEmpty())
	})

	It("is noticed by the younger one when the older is identified later, and ends with an event", func(ctx SpecContext) {
		p := newIdentified()
		a, b := newSetup(ctx, p.address()), newSetup(ctx, p.address())
		manage(ctx, a, b) // they are probed by events alone
		conflicts := func() string { return conflict(a.get(ctx)) + conflict(b.get(ctx)) }
		Eventually(conflicts).Should(HavePrefix("True SameCluster: "))
		first := a
		if strings.Contains(conflict(a.get(ctx)), b.name) {
			first = b
		}
		first.delete(ctx)
		Eventually(conflicts).Should(BeEmpty())
	})
})
