// SPDX-License-Identifier: Apache-2.0

package seeds

import (
	"context"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// flinkFoo is the FlinkDeployment that the documents speak of, which they do not show.
const flinkFoo = `
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: foo
spec:
  image: flink:1.20
  flinkVersion: v1_20
  jobManager: {resource: {cpu: 1, memory: 1024m}}
  taskManager: {resource: {cpu: 1, memory: 1024m}}
  job: {jarURI: "local:///opt/job.jar", parallelism: 2}
`

// completed returns a policy of which a document shows one part, with what a whole one of
// the same name has beside it: what it selects and where that goes.
func completed(part, whole string) *unstructured.Unstructured {
	GinkgoHelper()
	p, rest := value(part), value(whole)
	Expect(p["metadata"]).To(Equal(rest["metadata"]))
	shown := p["spec"].(map[string]any)
	for key, v := range rest["spec"].(map[string]any) {
		if key != "failover" {
			shown[key] = v
		}
	}
	return &unstructured.Unstructured{Object: p}
}

// squeezed returns the lines of a text without what indents them, as a document has them
// that was stored without its layout.
func squeezed(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, strings.TrimSpace(strings.TrimPrefix(line, "- ")))
		}
	}
	return strings.Join(lines, "\n")
}

// taint replaces the taints of a cluster by one, and returns what removes it. An empty
// effect is for none.
func taint(ctx context.Context, member, key string, effect corev1.TaintEffect) (remove func(context.Context)) {
	GinkgoHelper()
	c := &clusterv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: member}}
	fixture.Change(ctx, env.Hub, c, func(c *clusterv1alpha1.Cluster) {
		c.Spec.Taints = append(c.Spec.Taints, corev1.Taint{Key: key, Effect: effect})
	})
	return func(ctx context.Context) {
		fixture.Change(ctx, env.Hub, c, func(c *clusterv1alpha1.Cluster) {
			c.Spec.Taints = slices.DeleteFunc(c.Spec.Taints, func(t corev1.Taint) bool { return t.Key == key })
		})
	}
}

// clusterFailover is the story of a FlinkDeployment whose cluster fails: "the job ID is
// extracted before the migration, and injected as a label during it". It begins in member1,
// and is in another cluster at its end. block is the policy that the document shows.
func clusterFailover(ctx context.Context, block, whole string) {
	GinkgoHelper()
	const label = "application.karmada.io/cluster-failover-jobid"
	space := namespace(ctx)
	var open []func(context.Context)
	for _, m := range []string{"member2", "member3"} {
		open = append(open, taint(ctx, m, "busy", corev1.TaintEffectNoSchedule))
	}
	awaitOnly(ctx, "member1")
	policy := completed(block, whole)
	policy.SetNamespace(space)
	written := policy.DeepCopy().Object
	Expect(env.Hub.Create(ctx, policy)).To(Succeed())
	Expect(missing(written, policy.Object)).To(BeEmpty(), "the control plane has what was written")
	template := apply(ctx, space, flinkFoo)[0]
	key := client.ObjectKeyFromObject(template)
	b := &workv1alpha2.ResourceBinding{}
	healthyIn := func(g Gomega) string {
		g.Expect(env.Hub.Get(ctx, client.ObjectKey{Namespace: space, Name: "foo-flinkdeployment"}, b)).To(Succeed())
		g.Expect(b.Spec.Clusters).To(HaveLen(1))
		name := b.Spec.Clusters[0].Name
		g.Expect(b.Status.AggregatedStatus).To(ContainElement(And(HaveField("ClusterName", name), HaveField("Health", workv1alpha2.ResourceHealthy))))
		return name
	}
	var job string
	Eventually(func(g Gomega) {
		g.Expect(healthyIn(g)).To(Equal("member1"))
		g.Expect(env.Hub.Get(ctx, key, template)).To(Succeed())
		job, _, _ = unstructured.NestedString(template.Object, "status", "jobStatus", "jobID")
		g.Expect(job).NotTo(BeEmpty())
	}).Should(Succeed())
	for _, remove := range open {
		remove(ctx)
	}

	arrived := env.FirstLabel(ctx, template, label, "member2", "member3")
	restore := taint(ctx, "member1", "failed", corev1.TaintEffectNoExecute)
	Eventually(arrived).Should(Receive(Equal(job)), "the label of the new copy")
	Expect(apierrors.IsNotFound(env.At("member1").Get(ctx, key, template.DeepCopy()))).To(BeTrue(), "it was deleted in the old cluster before that")
	Eventually(func(g Gomega) {
		g.Expect(healthyIn(g)).NotTo(Equal("member1"))
		g.Expect(b.Spec.GracefulEvictionTasks).To(BeEmpty())
	}).Should(Succeed())
	restore(ctx)
	Expect(env.Hub.Delete(ctx, template)).To(Succeed())
}
