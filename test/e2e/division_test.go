// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// overTwo is a policy that divides a Job over two clusters, two to one.
const overTwo = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
  name: once
spec:
  resourceSelectors:
    - apiVersion: batch/v1
      kind: Job
      name: once
  placement:
    clusterAffinity:
      clusterNames: [member1, member2]
    replicaScheduling:
      replicaSchedulingType: Divided
      replicaDivisionPreference: Weighted
      weightPreference:
        staticWeightList:
          - {targetCluster: {clusterNames: [member1]}, weight: 2}
          - {targetCluster: {clusterNames: [member2]}, weight: 1}
`

var _ = Describe("a Job of seven completions, three at a time, over two clusters", func() {
	It("runs them once", func(ctx SpecContext) {
		space := env.Namespace(ctx)
		job := onceJob(space, nil)
		job.Spec.Parallelism, job.Spec.Completions = new(int32(3)), new(int32(7))
		env.Apply(ctx, space, overTwo)
		Expect(env.Hub.Create(ctx, job)).To(Succeed())

		want := map[string][2]int32{"member1": {2, 5}, "member2": {1, 2}}
		for member, numbers := range want {
			copied := &batchv1.Job{}
			Eventually(func() error { return env.At(member).Get(ctx, client.ObjectKeyFromObject(job), copied) }).Should(Succeed())
			Expect([2]int32{*copied.Spec.Parallelism, *copied.Spec.Completions}).To(Equal(numbers), member)
		}
		Eventually(func(g Gomega) {
			g.Expect(env.Hub.Get(ctx, client.ObjectKeyFromObject(job), job)).To(Succeed())
			g.Expect(job.Status.Succeeded).To(BeEquivalentTo(7))
		}).Should(Succeed())
	}, NodeTimeout(10*time.Minute))
})
