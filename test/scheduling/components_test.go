// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// onOne places a workload whole on one cluster.
const onOne = here + "spreadConstraints: [{spreadByField: cluster, minGroups: 1, maxGroups: 1}]\n"

const flink = `
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {namespace: $space, name: foo}
spec:
  image: flink:1.20
  flinkVersion: v1_20
  flinkConfiguration: {taskmanager.numberOfTaskSlots: "2"}
  jobManager: {replicas: 1, resource: {cpu: 0.05, memory: 100m}}
  taskManager: {replicas: 1, resource: {cpu: 0.1, memory: 100m}}
  job: {jarURI: "local:///opt/job.jar", parallelism: 2}
`

const volcano = `
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {namespace: $space, name: dk-job}
spec:
  minAvailable: 3
  schedulerName: volcano
  tasks:
    - name: job-nginx1
      replicas: 1
      template: {spec: {containers: [{name: nginx, image: nginx, resources: {requests: {cpu: 100m}}}]}}
    - name: job-nginx2
      replicas: 2
      template: {spec: {containers: [{name: nginx, image: nginx, resources: {requests: {cpu: 200m}}}]}}
`

var _ = Describe("a workload of several components", func() {
	DescribeTable("has them recorded in its binding, and goes whole to the one cluster with room for all",
		func(ctx SpecContext, text string, components ...string) {
			join(ctx, "member1", cpus("100m"))
			join(ctx, "member2", cpus("4"))
			o := written(text)
			propagate(ctx, o, false, onOne+"replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Aggregated}\n")
			b := goesWhole(ctx, o, 0, "member2")
			Expect(b.GetSpec().Replicas).To(BeZero())
			var recorded, placed []string
			for _, c := range b.GetSpec().Components {
				cpu := c.ReplicaRequirements.ResourceRequest["cpu"]
				recorded = append(recorded, fmt.Sprintf("%s: %d of %s", c.Name, c.Replicas, cpu.String()))
			}
			Expect(recorded).To(Equal(components))
			for _, c := range b.GetSpec().Clusters[0].Components {
				placed = append(placed, fmt.Sprintf("%s: %d", c.Name, c.Replicas))
			}
			Expect(placed).To(HaveLen(len(components)))
			for i := range placed {
				Expect(components[i]).To(HavePrefix(placed[i] + " of "))
			}
			Expect(manifests(ctx, Default, o)["member2"].Object["spec"]).To(Equal(o.Object["spec"]), "the manifest has what the user wrote")
		},
		Entry("a FlinkDeployment", flink, "jobmanager: 1 of 50m", "taskmanager: 1 of 100m"),
		Entry("a Job of Volcano", volcano, "job-nginx1: 1 of 100m", "job-nginx2: 2 of 200m"),
	)
})
