// SPDX-License-Identifier: Apache-2.0

package failover

import (
	"context"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// pipeline is a FlinkDeployment as users write it, with the replicas of its task managers.
const pipeline = `
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: pipeline}
spec:
  image: flink:1.20
  flinkVersion: v1_20
  flinkConfiguration: {taskmanager.numberOfTaskSlots: "1", state.checkpoints.dir: s3://flink/checkpoints}
  jobManager: {replicas: 1, resource: {cpu: 1, memory: 1024m}}
  taskManager: {replicas: 2, resource: {cpu: 2, memory: 2048m}}
  job: {jarURI: "local:///opt/job.jar", parallelism: 2, upgradeMode: last-state}
`

const pipelinePolicy = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: pipeline}
spec:
  propagateDeps: true
  resourceSelectors: [{apiVersion: flink.apache.org/v1beta1, kind: FlinkDeployment, name: pipeline}]
  placement: {spreadConstraints: [{spreadByField: cluster, minGroups: 1, maxGroups: 1}]}
  failover:
    application:
      decisionConditions: {tolerationSeconds: 15}
      purgeMode: Directly
      statePreservation: {rules: [{aliasLabelName: job, jsonPath: "{.jobStatus.jobId}"}]}
`

// componentsOf returns the components of a binding as name:replicas, and those that its
// only target was given.
func componentsOf(b *workv1alpha2.ResourceBinding) (wanted, placed []string) {
	for _, c := range b.Spec.Components {
		wanted = append(wanted, fmt.Sprintf("%s:%d", c.Name, c.Replicas))
	}
	for _, c := range b.Spec.Clusters[0].Components {
		placed = append(placed, fmt.Sprintf("%s:%d", c.Name, c.Replicas))
	}
	return wanted, placed
}

var _ = Describe("a workload of several components", func() {
	It("is scaled where it is, moves whole with its state, and is scaled there", func(ctx SpecContext) {
		kind := schema.GroupVersionKind{Group: "flink.apache.org", Version: "v1beta1", Kind: "FlinkDeployment"}
		space := env.Namespace(ctx)
		env.Apply(ctx, space, pipelinePolicy)
		env.Apply(ctx, space, pipeline)
		j := job{fixture.Object(kind, space, "pipeline", nil)}
		// is waits until the job is healthy with so many task managers, all as one, in a
		// cluster that is not another one.
		is := func(managers int64, not string) string {
			GinkgoHelper()
			member := j.runs(ctx, not)
			Eventually(func(g Gomega) {
				b, err := env.Binding(ctx, space, "pipeline-flinkdeployment")()
				g.Expect(err).NotTo(HaveOccurred())
				wanted, placed := componentsOf(b)
				g.Expect(wanted).To(Equal([]string{"jobmanager:1", fmt.Sprintf("taskmanager:%d", managers)}))
				g.Expect(placed).To(Equal(wanted))
				g.Expect(field(j.in(ctx, g, member), "spec", "taskManager", "replicas")).To(Equal(managers))
			}).Should(Succeed())
			return member
		}
		scale := func(ctx context.Context, managers int64) {
			GinkgoHelper()
			patch := client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"spec":{"taskManager":{"replicas":%d}}}`, managers))
			Expect(env.Hub.Patch(ctx, j.template, patch)).To(Succeed())
		}
		first := is(2, "")
		id := field(j.in(ctx, Default, first), "status", "jobStatus", "jobId")
		scale(ctx, 4)
		Expect(is(4, "")).To(Equal(first))
		Expect(field(j.in(ctx, Default, first), "status", "jobStatus", "jobId")).To(Equal(id), "it is the same job")

		arrived := env.FirstLabel(ctx, j.template, "job", env.Others(first)...)
		j.fails(ctx, first)
		second := is(4, first)
		Eventually(arrived).Should(Receive(Equal(id)), "the label of the first version of the new copy")
		scale(ctx, 3)
		Expect(is(3, first)).To(Equal(second))
	}, NodeTimeout(10*time.Minute))
})
