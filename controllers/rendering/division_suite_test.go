// SPDX-License-Identifier: Apache-2.0

package rendering_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/runtime/schema"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var _ = Describe("a Job that is divided", func() {
	It("completes as often in all clusters together as its template says", func(ctx SpecContext) {
		job := fixture.Object(schema.GroupVersionKind{Group: "batch", Version: "v1", Kind: "Job"}, space, "pi", map[string]any{"spec": map[string]any{
			"parallelism": int64(3), "completions": int64(7),
			"template": map[string]any{"spec": map[string]any{
				"restartPolicy": "Never", "containers": []any{map[string]any{"name": "pi", "image": "perl"}},
			}},
		}})
		p := bound[*workv1alpha2.ResourceBinding](ctx, job)
		p.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) {
			s.Replicas = 3
			s.Placement = &policyv1alpha1.Placement{ReplicaScheduling: &policyv1alpha1.ReplicaSchedulingStrategy{
				ReplicaSchedulingType: policyv1alpha1.ReplicaSchedulingTypeDivided,
			}}
			s.Clusters = []workv1alpha2.TargetCluster{{Name: "a", Replicas: 2}, {Name: "b", Replicas: 1}}
		})
		works := p.rendered(ctx)
		Expect(field(works["a"], "spec", "parallelism")).To(Equal(int64(2)))
		Expect(field(works["b"], "spec", "parallelism")).To(Equal(int64(1)))
		Expect(field(works["a"], "spec", "completions")).To(Equal(int64(5)))
		Expect(field(works["b"], "spec", "completions")).To(Equal(int64(2)))

		// Its parts cannot change in the members, where they add up already.
		p.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) {
			s.Replicas = 7
			s.Clusters = []workv1alpha2.TargetCluster{{Name: "a", Replicas: 2}, {Name: "b", Replicas: 5}}
		})
		works = p.rendered(ctx)
		Expect(field(works["a"], "spec", "completions")).To(Equal(int64(5)))
		Expect(field(works["b"], "spec", "completions")).To(Equal(int64(2)))
		Expect(field(works["b"], "spec", "parallelism")).To(Equal(int64(5)))

		p.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) {
			s.Replicas = 3
			s.Clusters = []workv1alpha2.TargetCluster{{Name: "a", Replicas: 1}, {Name: "b", Replicas: 1}, {Name: "c", Replicas: 1}}
		})
		sum := int64(0)
		for _, w := range p.rendered(ctx) {
			sum += field(w, "spec", "completions").(int64)
		}
		Expect(sum).To(Equal(int64(7)))
	})
})
