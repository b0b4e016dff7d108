// SPDX-License-Identifier: Apache-2.0

package failover

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// startNginx creates a policy and nginx in a namespace of their own, and waits until nginx is
// healthy in one member. It returns both names.
func startNginx(ctx context.Context, replicas int32, policy string) (space, member string) {
	GinkgoHelper()
	space = env.Namespace(ctx)
	env.Apply(ctx, space, policy)
	Expect(env.Hub.Create(ctx, fixture.Nginx(space, replicas))).To(Succeed())
	return space, runsOn(ctx, space)
}

// target returns the only target of nginx, which is none of some members.
func target(ctx context.Context, g Gomega, space string, not ...string) (string, *workv1alpha2.ResourceBinding) {
	b, err := env.Binding(ctx, space, "nginx-deployment")()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(b.Spec.Clusters).To(HaveLen(1))
	name := b.Spec.Clusters[0].Name
	g.Expect(not).NotTo(ContainElement(name), "where nginx is placed")
	return name, b
}

// runsOn waits until nginx is healthy in its only target, which is none of some members, and
// returns that.
func runsOn(ctx context.Context, space string, not ...string) string {
	GinkgoHelper()
	return hasHealth(ctx, space, workv1alpha2.ResourceHealthy, not...)
}

// hasHealth is runsOn for any health.
func hasHealth(ctx context.Context, space string, health workv1alpha2.ResourceHealth, not ...string) (name string) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		var b *workv1alpha2.ResourceBinding
		name, b = target(ctx, g, space, not...)
		g.Expect(b.Status.AggregatedStatus).To(ContainElement(And(HaveField("ClusterName", name), HaveField("Health", health))))
	}).Should(Succeed())
	return name
}

// moves waits until nginx is placed in one member, which is none of some, and returns that.
func moves(ctx context.Context, space string, from ...string) (to string) {
	GinkgoHelper()
	Eventually(func(g Gomega) { to, _ = target(ctx, g, space, from...) }).Should(Succeed())
	return to
}

// deployment reads nginx in a member.
func deployment(ctx context.Context, member, space string) (*appsv1.Deployment, error) {
	d := &appsv1.Deployment{}
	err := env.At(member).Get(ctx, client.ObjectKey{Namespace: space, Name: "nginx"}, d)
	return d, err
}

// gone returns a function that reports whether nginx is not in a member.
func gone(ctx context.Context, member, space string) func() bool {
	return func() bool {
		_, err := deployment(ctx, member, space)
		return apierrors.IsNotFound(err)
	}
}

// evicted waits until nginx is not in a member, and its binding and its template have the
// published event of that.
func evicted(ctx context.Context, member, space string) {
	GinkgoHelper()
	Eventually(gone(ctx, member, space)).Should(BeTrue(), "the copy in "+member+" goes")
	for kind, name := range map[string]string{"ResourceBinding": "nginx-deployment", "Deployment": "nginx"} {
		Eventually(env.Events(ctx, space, kind, name)).Should(ContainElement("EvictWorkloadFromClusterSucceed: Evict from cluster "+member+" succeed."), kind)
	}
}

// cordonOthers keeps pods from running in the members that are not among some, for the rest
// of the spec: the new copy does not become healthy.
func cordonOthers(ctx context.Context, than ...string) {
	GinkgoHelper()
	env.CordonForSpec(ctx, env.Others(than...)...)
}

// labelledBy waits until the copy of nginx in a member has the number of its replicas before
// it moved as a label.
func labelledBy(ctx context.Context, member, space, replicas string) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		d, err := deployment(ctx, member, space)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(d.Labels).To(HaveKeyWithValue(testAlias, replicas))
	}).Should(Succeed())
}

// uidIn returns the UID of the copy of nginx in a member, which is there and does not go.
func uidIn(ctx context.Context, member, space string) string {
	GinkgoHelper()
	d, err := deployment(ctx, member, space)
	Expect(err).NotTo(HaveOccurred(), "the copy in %s", member)
	Expect(d.DeletionTimestamp).To(BeNil(), "the copy in %s is deleted", member)
	return string(d.UID)
}
