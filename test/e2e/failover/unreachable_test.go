// SPDX-License-Identifier: Apache-2.0

package failover

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/scenario"
)

// lost is an app whose old copy is in a member that cannot be reached any more, and whose
// new one waits for that.
type lost struct {
	app
	member     *fleet.Cluster
	to         string
	release    func(context.Context)
	restoreOld func(context.Context)
}

// loseOne has an app fail in a member and moved, and the member cut off before it is rid of
// the copy. It returns when the control plane reports that the new copy waits.
func loseOne(ctx context.Context) lost {
	GinkgoHelper()
	a, first, second, release := startMove(ctx)
	l := lost{app: a, member: env.Member(first), to: second, release: release}
	Expect(env.Cut(l.member)).To(Succeed())
	restored := false
	l.restoreOld = func(ctx context.Context) {
		if !restored {
			restored = true
			Expect(env.Restore(ctx, l.member)).To(Succeed())
		}
	}
	DeferCleanup(func(ctx SpecContext) {
		l.restoreOld(ctx)
		l.release(ctx)
		Expect(scenario.Join(ctx, env.Fleet)).To(Succeed())
		env.AwaitReady(ctx, l.member.Name)
	}, NodeTimeout(10*time.Minute))
	Eventually(func(g Gomega) {
		condition := meta.FindStatusCondition(a.binding(ctx, g).Status.Conditions, workv1alpha2.Rendered)
		g.Expect(condition).NotTo(BeNil())
		g.Expect(condition.Reason).To(Equal("OldCopyRemains"))
		g.Expect(condition.Message).To(And(ContainSubstring("no copy is created in cluster "+l.to), ContainSubstring("cluster "+l.member.Name+", which has one, cannot be reached")))
	}).Should(Succeed())
	Expect(a.copyIn(ctx, Default, l.to)).To(BeNil())
	Eventually(env.Events(ctx, a.space, "ResourceBinding", "app-gadget")).Should(ContainElement(ContainSubstring("dragoman fence " + l.member.Name)))
	return l
}

var _ = Describe("an application that moves Directly from a member that cannot be reached", Ordered, ContinueOnFailure, func() {
	BeforeAll(serveGadgetsOnce, NodeTimeout(10*time.Minute))

	// One manager for all specs: it has to watch a member again that was away in the one before.
	BeforeAll(func() {
		env.RestartManager("--cluster-failure-threshold", "3s", "--cluster-success-threshold", "2s")
		DeferCleanup(func(ctx SpecContext) {
			env.RestartManager()
			for _, m := range env.Members {
				env.AwaitWorkloads(ctx, m.Name) // for the specs after these
			}
		}, NodeTimeout(10*time.Minute))
	})

	It("waits, and goes on with its state when the member is back and rid of the copy", func(ctx SpecContext) {
		l := loseOne(ctx)
		l.restoreOld(ctx)
		env.AwaitReady(ctx, l.member.Name)
		Expect(l.copyIn(ctx, Default, l.to)).To(BeNil(), "the old copy is there still")
		l.release(ctx)
		l.leaves(ctx, l.member.Name)
		l.arrives(ctx, l.to, "job-"+l.member.Name, "42")
		Eventually(func(g Gomega) {
			g.Expect(meta.FindStatusCondition(l.binding(ctx, g).Status.Conditions, workv1alpha2.Rendered)).To(BeNil())
		}).Should(Succeed())
	}, NodeTimeout(10*time.Minute))

	It("waits, and goes on with its state when a person says that nothing runs there", func(ctx SpecContext) {
		l := loseOne(ctx)
		env.Run(ctx, "fence", l.member.Name)
		DeferCleanup(func(ctx SpecContext) { _, _ = env.Dragoman(ctx, "unfence", l.member.Name) })
		l.arrives(ctx, l.to, "job-"+l.member.Name, "42")
		l.report(ctx, l.to, status{"ok": true, "progress": "43"})
		l.sees(ctx, l.to, workv1alpha2.ResourceHealthy)
		l.arrives(ctx, l.to, "", "")

		By("bringing the member back: it is rid of the old copy, and takes no new one while it is fenced")
		l.restoreOld(ctx)
		l.release(ctx)
		l.leaves(ctx, l.member.Name)
		env.Run(ctx, "unfence", l.member.Name)
		env.AwaitReady(ctx, l.member.Name)
		Expect(fixture.TargetsOf(l.binding(ctx, Default))).To(Equal([]string{l.to + ":0"}))
		l.arrives(ctx, l.to, "", "")
	}, NodeTimeout(10*time.Minute))

	It("waits, and goes on with its state when the member leaves the control plane", func(ctx SpecContext) {
		l := loseOne(ctx)
		cluster := &clusterv1alpha1.Cluster{}
		cluster.Name = l.member.Name
		Expect(env.Hub.Delete(ctx, cluster)).To(Succeed())
		l.arrives(ctx, l.to, "job-"+l.member.Name, "42")
		Eventually(func() bool {
			return apierrors.IsNotFound(env.Hub.Get(ctx, client.ObjectKeyFromObject(cluster), cluster))
		}).Should(BeTrue())
		l.report(ctx, l.to, status{"ok": true, "progress": "43"})
		l.arrives(ctx, l.to, "", "")
	}, NodeTimeout(10*time.Minute))
})
