// SPDX-License-Identifier: Apache-2.0

package cluster_test

import (
	"context"
	"net/http"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	"github.com/dragoman-io/dragoman/controllers/cluster/status"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
)

// leases is in the path of each request for a Lease of a member.
const leases = "/leases"

// elected are the terms of a manager, which a spec sets.
type elected struct {
	term    base.Term
	formers []base.Term
}

func (e elected) Term() base.Term      { return e.term }
func (e elected) Formers() []base.Term { return e.formers }

// term returns a term of a new manager, whose election was renewed a number of seconds after it
// began.
func term(holder string, renewed int) base.Term {
	began := time.Date(2020, 2, 2, 2, 2, 2, 123456789, time.UTC) // no clock of a spec
	return base.Term{Holder: holder, Acquired: began, Renewed: began.Add(time.Duration(renewed) * time.Second)}
}

// plane is one control plane: a Cluster of its own for the one member.
type plane struct {
	*setup
	proxy *identified
}

// newPlane returns a control plane of an owner whose leader has a term, and which has followed
// others.
func newPlane(ctx context.Context, owner string, term base.Term, formers ...base.Term) plane {
	GinkgoHelper()
	p := plane{proxy: newIdentified()}
	p.setup = newSetup(ctx, p.proxy.address())
	p.owner, p.election = owner, elected{term, formers}
	p.restart(status.Options{})
	return p
}

// lead has another manager run the control plane.
func (p plane) lead(term base.Term, formers ...base.Term) {
	GinkgoHelper()
	p.election = elected{term, formers}
	p.restart(status.Options{})
}

// pass lets time pass by the clock of the control plane.
func (p plane) pass(d time.Duration) { p.clock.SetTime(p.clock.Now().Add(d)) }

// says returns status, reason and message of the condition OwnerConflict; nothing if there is none.
func says(c *clusterv1alpha1.Cluster) string {
	condition := meta.FindStatusCondition(c.Status.Conditions, clusterv1alpha1.ClusterConditionOwnerConflict)
	if condition == nil {
		return ""
	}
	return string(condition.Status) + " " + condition.Reason + ": " + condition.Message
}

// newOwner returns the name of an owner that no other spec has.
func newOwner() string { return "owner-" + string(uuid.NewUUID())[:8] }

// leaseOf reads the Lease of an owner in the member.
func leaseOf(ctx context.Context, owner string) (*coordinationv1.Lease, error) {
	l := &coordinationv1.Lease{}
	return l, onMember().Get(ctx, types.NamespacedName{Namespace: "kube-system", Name: names.OwnerLease(owner)}, l)
}

// holderOf returns who holds the Lease of an owner in the member.
func holderOf(ctx context.Context, owner string) string {
	GinkgoHelper()
	l, err := leaseOf(ctx, owner)
	Expect(err).NotTo(HaveOccurred())
	return *l.Spec.HolderIdentity
}

var _ = Describe("A control plane that writes to a member", func() {
	It("holds a Lease of its owner there, and renews it by one request in ten seconds", func(ctx SpecContext) {
		owner := newOwner()
		p := newPlane(ctx, owner, term("x", 0))
		Expect([]any{says(p.probe(ctx)), p.served()}).To(HaveExactElements("", true))
		first, err := leaseOf(ctx, owner)
		Expect(err).NotTo(HaveOccurred())
		Expect(first.Annotations).To(HaveKeyWithValue("work.dragoman.io/owner", owner))
		Expect(*first.Spec.HolderIdentity).To(Equal("x"))
		Expect(*first.Spec.LeaseDurationSeconds).To(BeEquivalentTo(40))
		Expect(p.proxy.Count(leases)).To(Equal(2), "one that reads and one that creates")

		p.pass(9 * time.Second)
		p.probe(ctx)
		Expect(p.proxy.Count(leases)).To(Equal(2))
		p.pass(time.Second)
		p.probe(ctx)
		Expect(p.proxy.Count("PUT", leases)).To(Equal(1))
		Expect(p.proxy.Count(leases)).To(Equal(3))
		renewed, err := leaseOf(ctx, owner)
		Expect(err).NotTo(HaveOccurred())
		Expect(renewed.ResourceVersion).NotTo(Equal(first.ResourceVersion))

		By("removing it")
		Expect(onMember().Delete(ctx, renewed)).To(Succeed())
		p.pass(10 * time.Second)
		Expect([]any{says(p.probe(ctx)), p.served()}).To(HaveExactElements("", true))
		Expect(holderOf(ctx, owner)).To(Equal("x"))
	})

	It("hands it over to the next leader at once", func(ctx SpecContext) {
		owner := newOwner()
		p := newPlane(ctx, owner, term("x", 0))
		p.probe(ctx)
		p.pass(time.Second)

		By("killing the leader, whose lease expires")
		second := base.Term{Holder: "y", Acquired: p.clock.Now(), Renewed: p.clock.Now()}
		p.lead(second, term("x", 0))
		Expect([]any{says(p.probe(ctx)), p.served(), holderOf(ctx, owner)}).To(HaveExactElements("", true, "y"))

		By("ending the leader, which gives up its lease")
		given := second
		given.Holder, given.Renewed = "", second.Renewed.Add(time.Minute)
		p.lead(term("z", 0), given, term("x", 0))
		Expect([]any{says(p.probe(ctx)), p.served(), holderOf(ctx, owner)}).To(HaveExactElements("", true, "z"))

		By("killing that one, and the next before it came to the member")
		p.lead(term("b", 0), term("a", 0), term("z", 0), given, term("x", 0))
		Expect([]any{says(p.probe(ctx)), p.served(), holderOf(ctx, owner)}).To(HaveExactElements("", true, "b"))
	})

	It("does not fight with itself where one cluster has two names, and keeps the Lease until the last one left", func(ctx SpecContext) {
		owner := newOwner()
		p := newPlane(ctx, owner, term("x", 0))
		second := newSetup(ctx, p.proxy.address())
		second.status, second.lifecycle, second.members, second.clock = p.status, p.lifecycle, p.members, p.clock
		for range 3 {
			p.probe(ctx)
			second.probe(ctx)
			Expect([]any{says(p.get(ctx)), p.served(), says(second.get(ctx)), second.served()}).To(HaveExactElements("", true, "", true))
			p.pass(10 * time.Second)
		}

		leave := func(b *setup) {
			GinkgoHelper()
			Expect(hub.Manager.GetClient().Delete(ctx, b.get(ctx))).To(Succeed())
			_, err := b.reconcileStatus(ctx)
			Expect(err).NotTo(HaveOccurred())
			Expect(b.served()).To(BeFalse())
		}
		leave(second)
		Expect(holderOf(ctx, owner)).To(Equal("x"))
		p.probe(ctx)
		leave(p.setup)
		_, err := leaseOf(ctx, owner)
		Expect(apierrors.IsNotFound(err)).To(BeTrue(), "the Lease of a control plane that left: %v", err)
	})

	It("writes nothing after others may have taken its place", func(ctx SpecContext) {
		p := newPlane(ctx, newOwner(), term("x", 0))
		p.probe(ctx)
		m, ok := p.members.Get(p.name)
		Expect(ok).To(BeTrue())
		write := func() error {
			return m.Client.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", GenerateName: "spec-"}})
		}
		p.pass(39 * time.Second)
		Expect(write()).To(Succeed())
		p.pass(time.Second)
		Expect(write()).To(MatchError(ContainSubstring("the lease there was not renewed for 40s, and another control plane of the owner " + p.owner + " may have taken it")))
		Expect(m.Client.Get(ctx, types.NamespacedName{Name: "default"}, &corev1.Namespace{})).To(Succeed(), "it reads")
		Expect(m.Unavailable()).NotTo(HaveOccurred(), "what was refused is not held against the member")
		p.probe(ctx)
		Expect(write()).To(Succeed())
	})
})

var _ = Describe("Two control planes of one owner", func() {
	// writes counts the requests of a control plane that write to the member.
	writes := func(p plane) int {
		return p.proxy.Count("POST ") + p.proxy.Count("PUT ") + p.proxy.Count("PATCH ") + p.proxy.Count("DELETE ")
	}

	DescribeTable("are noticed: the second writes nothing, says so, and takes over after the first has stopped", func(ctx SpecContext, former base.Term) {
		owner := newOwner()
		first := newPlane(ctx, owner, term("host_x", 60))
		first.probe(ctx)
		second := newPlane(ctx, owner, term("host_y", 0), former)
		second.pass(87600 * time.Hour) // its clock is another one
		lease := "kube-system/" + names.OwnerLease(owner)

		c := second.probe(ctx)
		Expect(says(c)).To(Equal("Unknown AwaitingLease: the manager host_x held the Lease " + lease + " in this cluster, and this control plane does not know " +
			"that it has ended; nothing is written to the cluster unless the Lease is not renewed for 40s"))
		Expect([]any{readiness(c), taintsOf(c), second.served(), second.events.About("", second.name)}).
			To(HaveExactElements(BeEquivalentTo("True"), BeEmpty(), false, BeEmpty()))

		const known = "True OtherControlPlane: "
		for range 2 {
			first.pass(10 * time.Second)
			first.probe(ctx)
			second.pass(10 * time.Second)
			c = second.probe(ctx)
			Expect(says(c)).To(Equal(known + "another control plane of the owner " + owner + " writes to this cluster: its manager host_x renews the Lease " +
				lease + " there; nothing is written to it by this one, until the Lease was not renewed for 40s. " +
				"Stop the one that is not to write there, or start it with another --cluster-owner"))
			Expect([]any{readiness(c), taintsOf(c), second.served()}).To(HaveExactElements(BeEquivalentTo("True"), BeEmpty(), false))
		}
		Expect(second.events.About("", second.name)).To(ConsistOf(HavePrefix("Warning OtherControlPlane: ")), "once")
		Expect([]any{says(first.get(ctx)), first.served()}).To(HaveExactElements("", true))

		By("starting the second again")
		second.restart(status.Options{})
		Expect([]any{says(second.probe(ctx)), second.served()}).To(HaveExactElements(HavePrefix(known), false))
		Expect(second.events.About("", second.name)).To(HaveLen(1))

		By("stopping the first")
		second.pass(39 * time.Second)
		Expect([]any{says(second.probe(ctx)), second.served(), writes(second)}).To(HaveExactElements(HavePrefix(known), false, 0))
		second.pass(time.Second)
		Expect([]any{says(second.probe(ctx)), second.served(), holderOf(ctx, owner)}).To(HaveExactElements("", true, "host_y"))

		By("starting the first again")
		m, ok := first.members.Get(first.name)
		Expect(ok).To(BeTrue())
		first.pass(40 * time.Second)
		Expect(m.Client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "spec-"}})).
			To(MatchError(ContainSubstring("nothing is written to cluster " + first.name)))
		Expect([]any{says(first.probe(ctx)), first.served()}).To(HaveExactElements(HavePrefix(known), false), "it is the second now")
		Expect([]any{says(second.probe(ctx)), second.served()}).To(HaveExactElements("", true))
	},
		Entry("by --cluster-owner", term("other", 90)),
		Entry("by a snapshot of the first, restored beside it", term("host_x", 59)),
		Entry("by a snapshot that was taken while the first led no more", base.Term{Acquired: term("", 0).Acquired.Add(-time.Hour), Renewed: term("", 90).Renewed}),
		Entry("where no manager led before", base.Term{}),
	)

	It("are noticed where the second is not elected", func(ctx SpecContext) {
		owner := newOwner()
		first := newPlane(ctx, owner, term("x", 0))
		first.probe(ctx)
		second := plane{proxy: newIdentified()}
		second.setup = newSetup(ctx, second.proxy.address())
		second.owner = owner
		second.restart(status.Options{})
		Expect([]any{says(second.probe(ctx)), second.served()}).To(HaveExactElements(HavePrefix("Unknown AwaitingLease: "), false))
		second.pass(40 * time.Second)
		Expect([]any{says(second.probe(ctx)), second.served()}).To(HaveExactElements("", true))

		By("starting it again, whom nobody knows")
		second.restart(status.Options{})
		Expect([]any{says(second.probe(ctx)), second.served()}).To(HaveExactElements(HavePrefix("Unknown AwaitingLease: "), false))
	})

	It("lets the Cluster of the second leave without a request", func(ctx SpecContext) {
		owner := newOwner()
		first := newPlane(ctx, owner, term("x", 60))
		second := newPlane(ctx, owner, term("y", 0))
		for range 2 {
			first.probe(ctx)
			first.pass(10 * time.Second)
			second.reconcile(ctx)
		}
		second.delete(ctx)
		Expect(says(second.reconcile(ctx))).To(HavePrefix("True OtherControlPlane: "))
		second.endSpace(ctx)
		_, err := second.lifecycle.Reconcile(ctx, second.get(ctx))
		Expect(err).NotTo(HaveOccurred())
		Eventually(func(g Gomega) {
			g.Expect(second.gone(ctx)).To(BeTrue())
			_, err := second.reconcileStatus(ctx)
			g.Expect(err).NotTo(HaveOccurred())
		}).Should(Succeed())
		Expect([]any{writes(second), holderOf(ctx, owner)}).To(HaveExactElements(0, "x"))
	})
})

var _ = Describe("A member in which no Lease can be kept", func() {
	// refuse has the member answer requests for Leases of these methods with a code.
	refuse := func(p plane, code int, methods ...string) {
		p.proxy.Answer(func(w http.ResponseWriter, r *http.Request) {
			for _, method := range methods {
				if strings.Contains(r.URL.Path, leases) && r.Method == method {
					w.WriteHeader(code)
					return
				}
			}
			p.proxy.serve(w, r)
		})
	}

	DescribeTable("is written to, and the Cluster says what is not noticed", func(ctx SpecContext, methods ...string) {
		p := newPlane(ctx, newOwner(), term("x", 0))
		refuse(p, http.StatusForbidden, methods...)
		c := p.probe(ctx)
		Expect(says(c)).To(HavePrefix("Unknown LeaseUnavailable: another control plane of the owner " + p.owner + " would not be noticed here, where the Lease kube-system/" +
			names.OwnerLease(p.owner) + " cannot be kept: "))
		Expect([]any{readiness(c), p.served(), p.events.About("", p.name)}).To(HaveExactElements(BeEquivalentTo("True"), true, BeEmpty()))
		p.pass(time.Hour)
		p.probe(ctx)
		m, _ := p.members.Get(p.name)
		Expect(m.Client.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", GenerateName: "spec-"}})).To(Succeed())

		By("giving the right")
		p.proxy.Answer(p.proxy.serve)
		Expect([]any{says(p.probe(ctx)), p.served()}).To(HaveExactElements("", true))
		Expect(holderOf(ctx, p.owner)).To(Equal("x"))
	},
		Entry("forbidden to read", http.MethodGet),
		Entry("forbidden to write", http.MethodPost, http.MethodPut),
	)

	It("shows another control plane to one that may read alone", func(ctx SpecContext) {
		owner := newOwner()
		first := newPlane(ctx, owner, term("x", 60))
		second := newPlane(ctx, owner, term("y", 0))
		refuse(second, http.StatusForbidden, http.MethodPost, http.MethodPut)
		for range 2 {
			first.probe(ctx)
			first.pass(10 * time.Second)
			second.probe(ctx)
		}
		Expect([]any{says(second.get(ctx)), second.served()}).To(HaveExactElements(HavePrefix("True OtherControlPlane: "), false))

		By("taking the right to read, which ends no conflict")
		refuse(second, http.StatusForbidden, http.MethodGet)
		Expect([]any{says(second.probe(ctx)), second.served()}).To(HaveExactElements(HavePrefix("True OtherControlPlane: "), false))
	})

	It("is not written to at first while it answers with errors, and is if that lasts", func(ctx SpecContext) {
		p := newPlane(ctx, newOwner(), term("x", 0))
		refuse(p, http.StatusNotImplemented, http.MethodGet)
		Expect([]any{says(p.probe(ctx)), p.served()}).To(HaveExactElements("", false))
		result, err := p.reconcileStatus(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(result.RequeueAfter).To(Equal(time.Second), "it is asked again soon")
		p.pass(40 * time.Second)
		Expect([]any{says(p.probe(ctx)), p.served()}).To(HaveExactElements(HavePrefix("Unknown LeaseUnavailable: "), true))
	})

	It("keeps its connection while it can only be read", func(ctx SpecContext) {
		p := newPlane(ctx, newOwner(), term("x", 0))
		p.probe(ctx)
		refuse(p, http.StatusNotImplemented, http.MethodPut)
		for range 10 {
			p.pass(10 * time.Second)
			Expect([]any{says(p.probe(ctx)), p.served()}).To(HaveExactElements("", true))
			m, _ := p.members.Get(p.name)
			Expect(m.Client.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", GenerateName: "spec-"}})).To(Succeed())
		}
	})

	It("is not written to any more where a Lease that was held can be neither renewed nor read", func(ctx SpecContext) {
		p := newPlane(ctx, newOwner(), term("x", 0))
		p.probe(ctx)
		write := func() error {
			m, _ := p.members.Get(p.name)
			return m.Client.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", GenerateName: "spec-"}})
		}
		refuse(p, http.StatusNotImplemented, http.MethodGet, http.MethodPut)
		for range 3 {
			p.pass(10 * time.Second)
			p.probe(ctx)
			Expect(write()).To(Succeed())
		}
		for range 5 { // another control plane may have taken it
			p.pass(10 * time.Second)
			Expect([]any{says(p.probe(ctx)), p.served()}).To(HaveExactElements("", true))
			Expect(write()).To(MatchError(ContainSubstring("nothing is written to cluster " + p.name)))
		}
		p.proxy.Answer(p.proxy.serve)
		p.probe(ctx)
		Expect(write()).To(Succeed())
	})
})
